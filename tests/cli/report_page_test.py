"""Tests of the page of `gpusupernodal report` in a browser. usage: report_page_test.py PROGRAM [unittest options]

Exits 77 if there is no chromium."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if BROWSER is None:
    print("skipped: there is no chromium (scripts/install-deps.sh --tests chromium)")
    sys.exit(77)
ENVIRONMENT = {**os.environ, "GPUSUPERNODAL_BACKEND": "host"}

# Runs before the scripts of the page, and writes what it saw into attributes of the root element, which --dump-dom prints.
WATCH = """<script>
const seen = document.documentElement.dataset;
seen.errors = seen.violations = "0";
const count = (name) => () => { seen[name] = String(Number(seen[name]) + 1); };
addEventListener("error", count("errors"));
addEventListener("unhandledrejection", count("errors"));
document.addEventListener("securitypolicyviolation", count("violations"));
addEventListener("load", () => {
  seen.resources = String(performance.getEntriesByType("resource").length);
  seen.overflow = String(document.documentElement.scrollWidth - innerWidth);
  seen.controls = getComputedStyle(document.getElementById("controls")).display;
  seen.background = getComputedStyle(document.body).backgroundColor;
});
</script>"""

# Times that make the choice depend on the number of solves: pcg up to 3 solves, then mixed, and direct from 41 on.
METHODS = [("direct", "", 10.05, 10.0, 9.0, 0.1), ("mixed", "", 4.0, 4.0, 4.0, 0.4), ("pcg", "fsai", 0.5, 1.5, 1.5, 2.6),
           ("pcg", "jacobi", 0.5, 0.5, 0.5, 2.6)]


def text_of(markup):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", markup))


class Dom:
    def __init__(self, source):
        self.source = source

    def element(self, name):
        """The inner markup of the element with this id, up to the next element with an id or the end of its section."""
        found = re.search(rf'<(\w+)[^>]*\bid="{name}"[^>]*>(.*?)</\1>', self.source, re.S)
        assert found, f"there is no element #{name}"
        return found.group(2)

    def from_id(self, name):
        """The markup from the element with this id on."""
        return self.source[self.source.index(f'id="{name}"'):]

    def text(self, name):
        return text_of(self.element(name))

    def seen(self, name):
        return re.search(rf'<html[^>]*\bdata-{name}="([^"]*)"', self.source).group(1)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.pages = {}

    def page(self, *arguments):
        """The page for these arguments, made once."""
        if arguments not in self.pages:
            result = subprocess.run([PROGRAM, "report", *arguments, "--seconds", "2", "-o", "-"], env=ENVIRONMENT, check=True,
                                    capture_output=True, text=True)
            self.pages[arguments] = result.stdout
        return self.pages[arguments]

    def with_methods(self, page):
        """The page with the times above instead of measured ones."""
        before, data, after = re.match(r'(.*type="application/json">)(.*?)(</script>.*)', page, re.S).groups()
        figures = json.loads(data)
        paste = {m["method"]: m["paste"] for m in figures["methods"]}
        figures["methods"] = [{"method": method, "preconditioner": preconditioner, "analyze_seconds": analyze,
                               "first_seconds": first, "again_seconds": again, "solve_seconds": solve, "backward_error": 1e-15,
                               "paste": paste[method]} for method, preconditioner, analyze, first, again, solve in METHODS]
        return before + json.dumps(figures).replace("<", "\\u003c") + after

    def browse(self, page, fragment="", moves="", options=(), action="--dump-dom"):
        """Loads the page, runs `moves` as a script at its end, and returns the DOM. Fails on errors of scripts and on requests."""
        path = f"{self.folder.name}/page.html"
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.replace("<style>", WATCH + "<style>", 1).replace("</body>", f"<script>{moves}</script></body>"))
        with tempfile.TemporaryDirectory() as profile:
            result = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
                                     "--disable-background-networking", f"--user-data-dir={profile}", *options, action,
                                     f"file://{path}{fragment}"], capture_output=True, text=True, timeout=120)
        if action != "--dump-dom":
            return None
        self.assertIn("</html>", result.stdout, result.stderr[-2000:])
        dom = Dom(result.stdout)
        self.assertEqual((dom.seen("errors"), dom.seen("violations"), dom.seen("resources")), ("0", "0", "0"))
        self.assertRegex(dom.source, r'<p id="script-error"[^>]* hidden')
        return dom

    def test_the_page_shows_the_figures(self):
        dom = self.browse(self.page("lap2d:25"))
        self.assertEqual(dom.text("name"), "lap2d:25")
        self.assertIn("symmetric positive definite, 625 rows, 3,025 entries", dom.text("kind"))
        for figure in ("choice-chart", "rows-chart", "level-flops", "level-fronts", "convergence-chart", "spectrum-chart", "roofline-chart"):
            self.assertIn("<svg", dom.element(figure), figure)
            self.assertRegex(dom.element(figure), r'role="img" aria-label="[^"]{20,}"', figure)
            self.assertNotIn("NaN", dom.element(figure), figure)
        for name in ("choice-table", "fronts-table", "orderings-table", "convergence-table", "formats-table", "roofline-table",
                     "time-table", "memory-table"):
            self.assertIn("<table", dom.from_id(name)[:2000], name)
        self.assertEqual(dom.element("spies").count("<svg"), 2)
        self.assertIn("In elimination order", dom.element("spies"))
        self.assertEqual(len(re.findall(r'<nav[^>]*>.*?</nav>', dom.source, re.S)[0].split("<li>")) - 1, 9)

    def test_the_fragment_chooses_the_number_of_solves(self):
        page = self.with_methods(self.page("lap2d:25"))
        for solves, sentence, line in ((1, "For 1 solve take PCG with jacobi: 3.6 s in all.", "--method pcg"),
                                       (20, "For 20 solves with the same matrix take PCG with a factor in single precision: 16 s in all.", "--method mixed"),
                                       (1000, "For 1,000 solves with the same matrix take the factorization: 2 min in all.", "--expected-factorizations 1")):
            dom = self.browse(page, f"#solves={solves}")
            self.assertTrue(dom.text("verdict").startswith(sentence), dom.text("verdict"))
            self.assertIn(line, dom.from_id("paste-command"))
            self.assertIn(f'aria-valuetext="{solves:,} ' if solves > 1 else 'aria-valuetext="1 solve"', dom.source)
        self.assertEqual(re.findall(r"<li[^>]*>([^<]*)</li>", dom.element("ranges")),
                         ["1 to 3 solves: PCG with jacobi", "4 to 40 solves: PCG with a factor in single precision",
                          "41 to 10,000 solves: the factorization"])

    def test_moving_the_slider_changes_sentence_and_options(self):
        page = self.with_methods(self.page("lap2d:25"))
        move = 'const s = document.getElementById("solves"); s.value = {}; s.dispatchEvent(new Event("input", {{bubbles: true}}));'
        before = self.browse(page, moves=move.format(0))
        self.assertIn("take PCG with jacobi", before.text("verdict"))
        self.assertIn("GpuSupernodalCG", before.from_id("paste-eigen"))
        after = self.browse(page, moves=move.format(0) + move.format(400).replace("const s =", "const t =").replace("s.", "t.") +
                            'document.documentElement.dataset.hash = location.hash;')
        self.assertTrue(after.text("verdict").startswith("For 10,000 solves with the same matrix take the factorization"))
        self.assertEqual(after.text("solves-text"), "10,000 solves")
        self.assertIn("GpuSupernodalLLT", after.from_id("paste-eigen"))
        self.assertEqual(after.seen("hash"), "#solves=10000")
        self.assertEqual(after.source.count('<div class="paste"'), 5, "the blocks are replaced, not added")

    def test_new_values_change_the_choice(self):
        page = self.with_methods(self.page("lap2d:25"))
        dom = self.browse(page, "#solves=1000&values=new")
        self.assertTrue(dom.text("verdict").startswith("For 1,000 solves, each with new values, take PCG with jacobi"), dom.text("verdict"))
        dom = self.browse(page, "#solves=1000", moves='document.getElementById("new-values").click();')
        self.assertIn("each with new values, take PCG with jacobi", dom.text("verdict"))
        only_direct = re.sub(r'\{"method": "(mixed|pcg)".*?\}\}, ?', "", page)
        self.assertIn("take", self.browse(only_direct, "#solves=7&values=new").text("verdict"))

    def test_the_number_of_factorizations_follows_the_slider(self):
        dom = self.browse(self.page("convdiff:9"), "#solves=50&values=new")
        self.assertIn("-mat_gpusupernodal_expected_factorizations 50", dom.from_id("paste-petsc"))
        self.assertNotIn("@FACTORIZATIONS@</pre>", dom.source)
        self.assertIn("No other method was measured.", dom.text("verdict"))
        self.assertIn("left out", dom.from_id("convergence-chart")[:400])

    def test_copy_buttons_say_what_they_did(self):
        move = 'document.querySelector("#paste-cpp button").click(); setTimeout(() => {}, 0);'
        dom = self.browse(self.page("lap2d:25"), moves=move, options=("--virtual-time-budget=800",))
        self.assertRegex(dom.from_id("paste-cpp"), r'aria-label="Copy C\+\+">Copied</button>')

    def test_failed_parts_are_told_in_their_places(self):
        result = subprocess.run([PROGRAM, "report", "lap2d:20", "--seconds", "1e-9", "-o", "-"], env=ENVIRONMENT, check=True,
                                capture_output=True, text=True)
        dom = self.browse(result.stdout)
        self.assertIn("No method solved the system", dom.text("verdict"))
        self.assertEqual(dom.seen("controls"), "none")
        for name in ("spies", "factor-facts", "convergence-chart", "spectrum-facts", "formats-table", "roofline-chart", "time-table"):
            self.assertIn('class="note"', dom.from_id(name)[:300], name)

    def test_hostile_names_are_text(self):
        path = f"{self.folder.name}/<img src=x onerror=alert(1)>\u2028'\"&.mtx"
        with open(path, "w", encoding="utf-8") as file:
            file.write("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4\n")
        dom = self.browse(self.page(path))
        self.assertIn("&lt;img src=x onerror=alert(1)&gt;\u2028", dom.element("name"))
        self.assertNotIn("<img", dom.source)

    def test_nothing_is_wider_than_a_phone(self):
        dom = self.browse(self.page("lap2d:25"), options=("--window-size=390,844",))
        self.assertLessEqual(int(dom.seen("overflow")), 0)

    def test_the_dark_has_colours_of_its_own(self):
        light = self.browse(self.page("lap2d:25"), options=("--blink-settings=preferredColorScheme=1",))
        dark = self.browse(self.page("lap2d:25"), options=("--blink-settings=preferredColorScheme=0",))
        self.assertEqual(light.seen("background"), "rgb(245, 245, 242)")
        self.assertEqual(dark.seen("background"), "rgb(18, 22, 26)")

    def test_text_has_contrast(self):
        def luminance(colour):
            parts = [int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)]
            linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        themes = re.findall(r":root \{(.*?)\}", re.search(r"<style>(.*?)</style>", self.page("lap2d:25"), re.S).group(1), re.S)
        self.assertEqual(len(themes), 3, "light, dark, print")
        for theme in themes:
            colours = {name: value if len(value) == 7 else "#" + "".join(2 * c for c in value[1:])
                       for name, value in re.findall(r"--([\w-]+): (#\w+)", theme)}
            for text in ("ink", "faint", "direct", "mixed", "pcg", "more"):
                for ground in ("page", "card", "soft"):
                    light, dark = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
                    self.assertGreaterEqual((light + 0.05) / (dark + 0.05), 4.5, f"{text} on {ground}")

    def test_it_prints(self):
        path = f"{self.folder.name}/page.pdf"
        self.browse(self.page("lap2d:25"), action=f"--print-to-pdf={path}")
        with open(path, "rb") as file:
            self.assertEqual(file.read(5), b"%PDF-")


if __name__ == "__main__":
    unittest.main()
