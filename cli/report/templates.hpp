#pragma once

/// \file
/// The files of the page, which the build embeds (cmake/EmbedText.cmake).

namespace gpusupernodal::cli::templates {

extern const char* const html;    ///< report.html
extern const char* const style;   ///< report.css
extern const char* const charts;  ///< charts.js
extern const char* const script;  ///< report.js
extern const char* const choice;  ///< choice.js

}  // namespace gpusupernodal::cli::templates
