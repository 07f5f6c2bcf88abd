#include "slabs.hpp"

namespace kompakt::test {
namespace {

class CliFill : public CliSlabs {
 protected:
  /// Every tenth value is missing, the others are from 100 to 102.
  static LargeField with_gaps(double miss) {
    return make_field<float>({61, 66, 67}, [&](std::size_t i) {
      return i % 10 == 0 ? miss : 101 + std::sin(1e-3 * static_cast<double>(i));
    });
  }
  static constexpr int gaps = (61 * 66 * 67 + 9) / 10;

  Outcome run(LargeField const& field, Words const& bound, Words const& more = {}) const {
    Words words = bound;
    words.insert(words.end(), {"--json", "--force", "-c", "fixedlength"});
    words.insert(words.end(), more.begin(), more.end());
    return kompakt(compress(field, words));
  }

  Words const m_relative{"-m", "r2r", "-e", "1e-3"};
  Words const m_absolute{"-m", "abs", "-e", "1e-3"};
  std::vector<Words> const m_limits{{}, {"--memory", little_memory}};
};

TEST_F(CliFill, MaskedPlaces_AreCounted) {
  for (Words const& limit : m_limits) {
    for (Words const& bound : {m_relative, m_absolute, Words{"-m", "psnr", "-e", "50"}}) {
      Outcome const found = run(with_gaps(1e20), bound, limit);
      ASSERT_TRUE(found.is(Status::ok)) << found;
      EXPECT_EQ(found.json().at("masked"), gaps) << found;
    }
    Outcome const none = run(smooth_field<float>({61, 66, 67}), m_relative, limit);
    EXPECT_EQ(none.json().at("masked"), 0) << none;
  }
  Outcome const text = kompakt(compress(with_gaps(-999), {"-m", "abs", "-e", "1", "--force"}));
  EXPECT_NE(text.out.find("masked    " + std::to_string(gaps) + " values"), std::string::npos)
      << text;
  EXPECT_NE(text.out.find("masked is -999"), std::string::npos) << text;
}

TEST_F(CliFill, NanOfEitherSign_IsCalledNan) {
  for (double const sign : {1.0, -1.0}) {
    LargeField const field =
        with_gaps(std::copysign(std::numeric_limits<double>::quiet_NaN(), sign));
    Outcome const outcome = run(field, m_relative);
    EXPECT_EQ(outcome.json().at("fill"), "nan") << outcome;
    EXPECT_EQ(outcome.json().at("masked"), gaps) << outcome;
    EXPECT_EQ(info("x.kpk").at("fill"), "nan");
    EXPECT_EQ(outcome.err, "") << "NaN is in no range";
  }
}

TEST_F(CliFill, LimitsOfAnotherField_AreQuestioned) {
  LargeField const field = smooth_field<float>({61, 66, 67});
  for (Words const& limit : m_limits) {
    Outcome const others = run(field, {"-m", "abs", "-e", "1e-3", "--limits", "1e6:2e6"}, limit);
    ASSERT_TRUE(others.is(Status::ok)) << others;
    EXPECT_NE(others.err.find("--limits 1e+06:2e+06: values outside"), std::string::npos) << others;
    Outcome const own = run(field, {"-m", "abs", "-e", "1e-3", "--limits", "-1e6:1e6"}, limit);
    EXPECT_EQ(own.err.find("--limits"), std::string::npos) << own;
  }
}

TEST_F(CliFill, GivenValueThatIsNowhere_IsSaid) {
  for (Words const& limit : m_limits) {
    for (std::string const fill : {"7", "nan", "-0"}) {
      Words more = limit;
      more.insert(more.end(), {"--fill", fill});
      Outcome const outcome = run(with_gaps(0), m_absolute, more);
      ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
      EXPECT_EQ(outcome.err.find("kompakt: note: '"), 0u) << outcome;
      EXPECT_NE(outcome.err.find("': --fill: " + fill + " is nowhere"), std::string::npos)
          << outcome;
      EXPECT_EQ(outcome.json().at("masked"), 0) << outcome;
    }
    Words several = limit;
    several.insert(several.end(), {"--fill", "7/0"});
    EXPECT_NE(run(with_gaps(0), m_absolute, several).err.find("give the most frequent one first\n"),
              std::string::npos);
    Words there = limit;
    there.insert(there.end(), {"--fill", "0"});
    Outcome const outcome = run(with_gaps(0), m_absolute, there);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.json().at("masked"), gaps);
  }
}

TEST_F(CliFill, FoundValueThatChangesTheBound_IsToldWithBothRanges) {
  for (Words const& limit : m_limits) {
    Outcome const outcome = run(with_gaps(0), m_relative, limit);
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_LT(outcome.json().at("bound_abs"), 2.1e-3) << outcome;
    for (std::string const& part :
         {"': --fill auto masks " + std::to_string(gaps) + " values of 0:",
          std::string("the range 100 to 102;"), std::string("it would be 0 to 102"),
          std::string("--fill none")}) {
      EXPECT_NE(outcome.err.find(part), std::string::npos) << part << outcome;
    }
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome;
    for (Words const& silent :
         {Words{"--fill", "0"}, Words{"--fill", "none"}, Words{"--range", "2"}}) {
      Words more = limit;
      more.insert(more.end(), silent.begin(), silent.end());
      EXPECT_EQ(run(with_gaps(0), m_relative, more).err, "") << silent[0];
    }
    EXPECT_EQ(run(with_gaps(0), m_absolute, limit).err, "") << "the bound is what was given";
  }
}

TEST_F(CliFill, OfTwoFields_CountInNoRangeOfACompare) {
  for (double const other : {1e20, -999.0}) {
    auto const with_values = [&](auto const& value) {
      return make_field<float>({61, 66, 67}, [&](std::size_t i) {
        return i % 10 == 0 ? 1e20 : i % 10 == 5 ? other : value(static_cast<double>(i));
      });
    };
    auto const measured = with_values([](double i) { return 101 + std::sin(1e-3 * i); });
    auto const all_lost = with_values([](double) { return 101.0; });
    put(file("a.raw"), measured.bytes);
    put(file("b.raw"), all_lost.bytes);
    Words words{"compare", file("a.raw"), file("b.raw"), "-t", "f32"};
    words.insert(words.end(), {"--shape", measured.shape_word(), "-m", "r2r", "-e", "1e-3"});
    Outcome const lost = kompakt(words);
    EXPECT_TRUE(lost.is(Status::bound_violated)) << other << lost;
    words.insert(words.end(), {"--fill", "none"});
    EXPECT_TRUE(kompakt(words).is(Status::ok)) << "a bound that such a range allows";
  }
}

}  // namespace
}  // namespace kompakt::test
