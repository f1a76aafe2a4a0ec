#!/usr/bin/env python3
"""Tests that each rule of layers.py rejects a bad example and accepts a good one."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import layers  # noqa: E402

HEADERS = ("solver/include/gpusupernodal/views.hpp", "solver/common/ids.hpp", "solver/plan/factor_plan.hpp",
           "solver/backend/executor.hpp", "solver/iterative/richardson.hpp", "solver/cuda/run/stream.hpp", "solver/api/state.hpp",
           "kernels/host/host_kernels.hpp", "kernels/cuda/scatter.hpp", "io/symmetric_matrix.hpp",
           "plugin/eigen/include/gpusupernodal/eigen.hpp")

GOOD = {
    "solver/plan/a.cpp": '#include "solver/common/ids.hpp"\n#include "gpusupernodal/views.hpp"\n#include "factor_plan.hpp"\n',
    "solver/cuda/run/a.cpp": '#include <cuda_runtime.h>\n#include "kernels/cuda/scatter.hpp"\n#ifdef __CUDACC__\n#endif\n',
    "solver/symbolic/a.cpp": '#include <metis.h>\n// printf("no");\nint n = snprintf(0, 0, "printf(");\n',
    "cli/a.cpp": '#include "io/symmetric_matrix.hpp"\n#include <gpusupernodal/views.hpp>\nint main() { printf("x"); }\n',
    "tests/solver/a.cpp": '#include "solver/api/state.hpp"\n#include <cuda_runtime.h>\n',
    "plugin/eigen/include/gpusupernodal/a.hpp": "#include <Eigen/SparseCore>\n#include <vector>\n",
}
BAD = {
    "solver/symbolic/b.cpp": '#include "solver/plan/factor_plan.hpp"\n',
    "solver/plan/b.cpp": '#include "../backend/executor.hpp"\n',
    "kernels/host/b.cpp": '#include "solver/common/ids.hpp"\n',
    "kernels/cuda/b.cu": '#include "gpusupernodal/views.hpp"\n',
    "kernels/common/b.hpp": '#include "kernels/cuda/scatter.hpp"\n',
    "solver/host/plan/b.cpp": '#include "solver/plan/factor_plan.hpp"\n',
    "solver/cuda/plan/b.cpp": '#include "solver/backend/executor.hpp"\n',
    "solver/cuda/plan/c.cpp": "#include <cuda_runtime.h>\n",
    "kernels/host/blas.cpp": "#include <cblas.h>\n",
    "solver/backend/c.cpp": '#include "solver/iterative/richardson.hpp"\n',
    "solver/iterative/b.cpp": '#include "solver/api/state.hpp"\n',
    "solver/backend/b.cpp": '#include "solver/cuda/run/stream.hpp"\n',
    "solver/host/run/b.cpp": '#include "kernels/cuda/scatter.hpp"\n',
    "solver/host/run/c.cpp": '#include "solver/cuda/run/stream.hpp"\n',
    "solver/api/b.cpp": "#ifdef GPUSUPERNODAL_HAVE_CUDA\n#endif\n",
    "solver/api/c.cpp": "  #  if defined(__CUDACC__)\n#endif\n",
    "solver/plan/c.cpp": "#include <cuda_runtime.h>\n",
    "solver/plan/d.cpp": "#include <metis.h>\n",
    "solver/plan/e.cpp": "void f() { std::cout << 1; }\n",
    "solver/plan/f.cpp": "void f() { std::abort(); }\n",
    "kernels/cuda/f.cu": 'void f() { printf("x"); }\n',
    "solver/plan/long.cpp": "\n" * (layers.LONGEST_FILE + 1),
    "solver/include/gpusupernodal/b.hpp": "#include <cublas_v2.h>\n",
    "solver/include/gpusupernodal/c.hpp": '#include "solver/plan/factor_plan.hpp"\n',
    "plugin/petsc/b.cpp": '#include "io/symmetric_matrix.hpp"\n',
    "cli/b.cpp": '#include "solver/api/state.hpp"\n',
}


def findings_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in {**dict.fromkeys(HEADERS, ""), **files}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return layers.findings(root)


class Layers(unittest.TestCase):
    def test_good_examples_pass(self):
        self.assertEqual(findings_of(GOOD), [])

    def test_each_bad_example_is_caught(self):
        for path, text in BAD.items():
            with self.subTest(path=path):
                found = findings_of({path: text})
                self.assertTrue(found and all(line.startswith(path + ":") for line in found), found)


if __name__ == "__main__":
    unittest.main()
