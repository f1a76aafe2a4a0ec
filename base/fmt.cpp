#include "base/fmt.hpp"

#if defined(GPUSUPERNODAL_FMT_ONCE)
template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::basic_string_view<char>,
                                            gpusupernodal::FmtArguments, fmt::detail::locale_ref);
#endif
