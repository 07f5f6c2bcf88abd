#include <gtest/gtest.h>
#include <kompakt/error.hpp>
#include <kompakt/io.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <string>
#include <support/errors.hpp>
#include <vector>

namespace {

using namespace kompakt;
using namespace kompakt::test;

void expect_parts(Error const& error, char const* where, char const* problem, char const* advice) {
  EXPECT_EQ(error.where(), where);
  EXPECT_EQ(error.problem(), problem);
  EXPECT_EQ(error.advice(), advice);
}

TEST(ErrorParts, MakeOneLine) {
  Error const all(Status::io, "read_file", "there is no 'a: b; c'", "name another; or none");
  EXPECT_STREQ(all.what(), "read_file: there is no 'a: b; c'; name another; or none");
  expect_parts(all, "read_file", "there is no 'a: b; c'", "name another; or none");
  EXPECT_EQ(all.text(), "there is no 'a: b; c'; name another; or none");
  EXPECT_EQ(all.status(), Status::io);
}

TEST(ErrorParts, MayBeEmpty) {
  Error const problem(Status::corrupt, "it is cut off");
  EXPECT_STREQ(problem.what(), "it is cut off");
  expect_parts(problem, "", "it is cut off", "");
  Error const unnamed(Status::corrupt, "it is cut off", "copy it again");
  EXPECT_STREQ(unnamed.what(), "it is cut off; copy it again");
  expect_parts(unnamed, "", "it is cut off", "copy it again");
  Error const unadvised(Status::corrupt, "inspect", "it is cut off", "");
  EXPECT_STREQ(unadvised.what(), "inspect: it is cut off");
  expect_parts(unadvised, "inspect", "it is cut off", "");
}

TEST(ErrorParts, OfAnyBytes_AreOneLineOfUtf8) {
  std::string const word("a\0b\n\xfc; c", 8);
  Error const error(Status::bad_argument, "se\rt", word, "write\tanother");
  expect_parts(error, "se\\rt", "a\\x00b\\n\\xfc; c", "write\\tanother");
  EXPECT_STREQ(error.what(), "se\\rt: a\\x00b\\n\\xfc; c; write\\tanother");
  Error const again = error.about("'\xe6'").named("outer");
  EXPECT_STREQ(again.what(), "outer: '\\xe6': a\\x00b\\n\\xfc; c; write\\tanother");
  EXPECT_EQ(Error(Status::bad_argument, "", "write another").advice(), "write another");
}

TEST(ErrorParts, OfACopy_AreItsOwn) {
  auto const made = [] {
    Error const error(Status::io, "read_file", "the disk is gone", "plug it in");
    return Error(error);
  }();
  expect_parts(made, "read_file", "the disk is gone", "plug it in");
}

TEST(NamedError, TakesTheInnermostName) {
  Error const error = error_of([] {
    impl::named("outer", [] {
      impl::named("inner", [] { throw Error(Status::io, "the disk is gone", "plug it in"); });
    });
  });
  EXPECT_STREQ(error.what(), "inner: the disk is gone; plug it in");
}

TEST(NamedError, ReturnsWhatTheCallReturns) {
  EXPECT_EQ(impl::named("call", [] { return 3; }), 3);
}

TEST(ErrorAbout, ASubject_LeavesTheNameToTheCaller) {
  Error const error = error_of([] {
    impl::named("outer", [] {
      impl::naming("'a.kpk'",
                   [] { throw Error(Status::corrupt, "inner", "it is cut off", "copy it again"); });
    });
  });
  EXPECT_STREQ(error.what(), "outer: 'a.kpk': it is cut off; copy it again");
  EXPECT_EQ(error.status(), Status::corrupt);
}

TEST(ErrorParts, OfCalls) {
  expect_parts(error_of([] { read_file("/nowhere/x"); }), "read_file",
               "cannot open '/nowhere/x': No such file or directory",
               "check the path and its permissions");
  std::vector<std::byte> const nothing(64);
  EXPECT_EQ(error_of([&] { inspect(nothing); }).where(), "inspect");
  Options options;
  options.bound = ErrorBound::absolute(0);
  expect_parts(error_of([&] { validate(options); }), "options",
               "the bound 0 is not a positive finite number", "give one such as 1e-3");
}

}  // namespace
