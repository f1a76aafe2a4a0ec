#pragma once

/// \file
/// GPUSUPERNODAL_TEST_SANITIZED: whether this file is compiled with the address or the thread sanitizer, which need more
/// memory and time than limits in tests allow. GPUSUPERNODAL_TEST_THREAD_SANITIZED: with the thread sanitizer. GCC and clang
/// announce their sanitizers in different ways.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GPUSUPERNODAL_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GPUSUPERNODAL_TEST_SANITIZED 1
#endif
#endif
#ifndef GPUSUPERNODAL_TEST_SANITIZED
#define GPUSUPERNODAL_TEST_SANITIZED 0
#endif

#if defined(__SANITIZE_THREAD__)
#define GPUSUPERNODAL_TEST_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GPUSUPERNODAL_TEST_THREAD_SANITIZED 1
#endif
#endif
#ifndef GPUSUPERNODAL_TEST_THREAD_SANITIZED
#define GPUSUPERNODAL_TEST_THREAD_SANITIZED 0
#endif
