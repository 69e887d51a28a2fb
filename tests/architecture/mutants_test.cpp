// The list of deliberate bugs (tests/mutants) stays applicable while the code changes. Its full run
// takes hours and is rare.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "engine/base/json.h"

namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Returns "Suite.test" and "Suite.*" of every test in the sources.
std::set<std::string> testNames() {
    static const std::regex head(R"(TEST(?:_[FP])?\((\w+), *(\w+)\))");
    static const std::regex slots(R"(void (\w+)\(\))");
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(LACUNA_SOURCE_DIR "/tests")) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string text = textOf(entry.path());
        for (std::sregex_iterator at(text.begin(), text.end(), head), end; at != end; ++at)
            names.insert({(*at)[1].str() + "." + (*at)[2].str(), (*at)[1].str()});
        for (std::sregex_iterator at(text.begin(), text.end(), slots), end; at != end; ++at)
            names.insert((*at)[1].str());
    }
    return names;
}

TEST(Mutants, everyMutant_matchesOnceInItsFile) {
    const auto list = lacuna::parseJson(textOf(LACUNA_SOURCE_DIR "/tests/mutants/mutants.json"));
    ASSERT_TRUE(list) << list.error().what;
    ASSERT_GE(list->size(), 40U);
    for (const auto& mutant : *list) {
        const std::string text =
            textOf(fs::path(LACUNA_SOURCE_DIR) / mutant.at("file").get<std::string>());
        const std::string old = mutant.at("old").get<std::string>();
        const std::size_t at = text.find(old);
        EXPECT_NE(at, std::string::npos) << mutant.at("name");
        if (at != std::string::npos) {
            EXPECT_EQ(text.find(old, at + 1), std::string::npos) << mutant.at("name");
        }
        EXPECT_NE(old, mutant.at("new").get<std::string>()) << mutant.at("name");
    }
}

TEST(Mutants, everyFilter_matchesExistingTests) {
    const auto list = lacuna::parseJson(textOf(LACUNA_SOURCE_DIR "/tests/mutants/mutants.json"));
    ASSERT_TRUE(list) << list.error().what;
    const std::set<std::string> names = testNames();
    ASSERT_GT(names.size(), 1000U);
    for (const auto& mutant : *list) {
        std::stringstream filters(mutant.at("filter").get<std::string>());
        for (std::string filter; std::getline(filters, filter, ':');) {
            // "*" matches anything; the text before the first one is the start of a test's name.
            const std::string begin = filter.substr(0, filter.find('*'));
            const auto found = names.lower_bound(begin);
            EXPECT_TRUE(begin.empty() || (found != names.end() && found->starts_with(begin)))
                << mutant.at("name") << ": " << filter;
        }
    }
}

}  // namespace
