// The list of the cache contract's requirements is complete, and every entry outside of the
// modules' tests states a reason.

#include <filesystem>
#include <map>
#include <regex>
#include <utility>

#include "tests/support/contract_numbers.h"

namespace lacuna::test {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Returns the ids of the contract's tables, as "prefix_number".
std::set<std::string> numbersOfTheContract() {
    struct Range {
        const char* prefix;
        int first;
        int last;
    };
    std::set<std::string> out;
    for (const Range& range :
         {Range{"G", 1, 14}, {"GR", 1, 15},  {"RO", 1, 10}, {"RM", 1, 8},  {"RT", 1, 4},
          {"CH", 1, 5},      {"Q", 1, 14},   {"BA", 1, 22}, {"BR", 1, 10}, {"L2", 1, 14},
          {"L2", 20, 25},    {"L2", 30, 48}, {"HE", 1, 8},  {"S1", 1, 77}, {"S3", 1, 13},
          {"S4", 1, 11},     {"D", 1, 19},   {"GL", 1, 12}, {"SP", 1, 13}, {"PF", 1, 8}})
        for (int n = range.first; n <= range.last; ++n)
            out.insert(std::string(range.prefix) + (n < 10 ? "_0" : "_") + std::to_string(n));
    return out;
}

/// Returns the errors of a list as sentences; empty if it has each id of the contract exactly once.
std::vector<std::string> faultsOf(const std::string& list) {
    std::set<std::string> listed;
    std::vector<std::string> faults;
    for (const ContractNumber& number : contractNumbersIn(list))
        if (!listed.insert(number.id).second) faults.push_back(number.id + " stands twice");
    const auto wanted = numbersOfTheContract();
    for (std::string& fault : without(wanted, listed, " is missing")) faults.push_back(fault);
    for (std::string& fault : without(listed, wanted, " is no number of the contract"))
        faults.push_back(fault);
    return faults;
}

TEST(ContractList, everyRequirementId_isListedOnce) {
    EXPECT_EQ(faultsOf(contractList()), std::vector<std::string>{});
}

// Guards the test above: any removed, doubled or changed line is reported.
TEST(ContractList, missingOrDuplicateId_isReported) {
    const std::string list = contractList();
    int lines = 0;
    for (std::size_t begin = 0; begin < list.size(); ++lines) {
        const std::size_t end = list.find('\n', begin) + 1;
        const std::string line = list.substr(begin, end - begin);
        const std::string id = line.substr(0, line.find(' '));
        const std::string rest = list.substr(0, begin) + list.substr(end);
        EXPECT_EQ(faultsOf(rest), std::vector<std::string>{id + " is missing"});
        EXPECT_EQ(faultsOf(list + line), std::vector<std::string>{id + " stands twice"});
        begin = end;
    }
    EXPECT_EQ(lines, static_cast<int>(numbersOfTheContract().size()));
    EXPECT_EQ(faultsOf(list + "ZZ_01 kv\n"),
              std::vector<std::string>{"ZZ_01 is no number of the contract"});
}

// Guards the tests of the modules: a test that loses its id is reported.
TEST(ContractList, idWithoutATest_isReported) {
    for (const ContractNumber& number : contractNumbers()) {
        if (number.room == "elsewhere") continue;
        const auto wanted = numbersOf(number.room);
        auto tested = wanted;
        tested.erase(number.id);
        EXPECT_EQ(without(wanted, tested, " has no test"),
                  std::vector<std::string>{number.id + " has no test"});
    }
    std::set<std::string> found;
    addNumbers("S1_06_SP_01_draftsBesideABudget", found);
    EXPECT_EQ(found, (std::set<std::string>{"S1_06", "SP_01"}));
}

TEST(ContractList, idsOutsideModuleTests_haveAReason_othersHaveNone) {
    for (const ContractNumber& number : contractNumbers()) {
        if (number.room == "elsewhere")
            EXPECT_GT(number.reason.size(), 20U) << number.id << " is elsewhere without a reason";
        else
            EXPECT_EQ(number.reason, "") << number.id;
    }
}

/// A module whose ids are never checked would pass without a test.
TEST(ContractList, everyListedModule_checksItsIds) {
    std::string tests;
    for (const auto& entry : fs::recursive_directory_iterator(LACUNA_SOURCE_DIR "/tests"))
        if (entry.path().extension() == ".cpp") tests += textOf(entry.path());
    std::set<std::string> rooms;
    for (const ContractNumber& number : contractNumbers()) rooms.insert(number.room);
    rooms.erase("elsewhere");
    EXPECT_GE(rooms.size(), 5U);
    for (const std::string& room : rooms)
        EXPECT_NE(tests.find("expectNumbersOf(\"" + room + "\")"), std::string::npos) << room;
}

/// Returns the sources by path below the project, as "engine/kv/kv_cache.h".
std::map<std::string, std::string> sourcesUnder(const std::vector<const char*>& folders) {
    std::map<std::string, std::string> out;
    for (const char* folder : folders)
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(LACUNA_SOURCE_DIR) / folder))
            if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
                out[fs::relative(entry.path(), LACUNA_SOURCE_DIR).generic_string()] =
                    textOf(entry.path());
    return out;
}

std::vector<std::string> includesOf(const std::string& text) {
    static const std::regex include(R"re(#\s*include\s+"((?:engine|app|ui)/[^"]+)")re");
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), include); at != std::sregex_iterator();
         ++at)
        out.push_back((*at)[1]);
    return out;
}

/// Returns every source that is linked into the programs: the includes of their main sources, the
/// implementations of those headers (a source of the same name, or one that includes the header
/// first), the includes of these, and so on.
std::set<std::string> linkedIntoThePrograms() {
    const auto sources = sourcesUnder({"engine", "app", "ui"});
    std::multimap<std::string, std::string> implementations;
    std::vector<std::string> open;
    for (const auto& [path, text] : sources) {
        const auto includes = includesOf(text);
        if (path.ends_with(".cpp") && !includes.empty()) {
            implementations.emplace(includes.front(), path);
            implementations.emplace(path.substr(0, path.size() - 3) + "h", path);
        }
        const bool program = path.starts_with("app/main/") || path.starts_with("app/bench/");
        if (program && path.ends_with(".cpp")) open.push_back(path);
    }
    std::set<std::string> reached(open.begin(), open.end());
    while (!open.empty()) {
        const std::string path = std::move(open.back());
        open.pop_back();
        std::vector<std::string> next = includesOf(sources.at(path));
        const auto [first, last] = implementations.equal_range(path);
        for (auto at = first; at != last; ++at) next.push_back(at->second);
        for (const std::string& one : next)
            if (sources.contains(one) && reached.insert(one).second) open.push_back(one);
    }
    return reached;
}

// An id counts only if the class is part of a program; code that only tests link is not done.
TEST(ContractList, sourcesIncludedByModuleTests_areLinkedIntoThePrograms) {
    const std::set<std::string> linked = linkedIntoThePrograms();
    EXPECT_GT(linked.size(), 500U);
    std::set<std::string> rooms;
    for (const ContractNumber& number : contractNumbers()) rooms.insert(number.room);
    int seen = 0;
    for (const auto& [path, text] : sourcesUnder({"tests/engine"})) {
        const std::string below = path.substr(std::string("tests/engine/").size());
        if (!rooms.contains(below.substr(0, below.find('/')))) continue;
        for (const std::string& header : includesOf(text)) {
            ++seen;
            EXPECT_TRUE(linked.contains(header)) << path << " tests " << header;
        }
    }
    EXPECT_GT(seen, 150);
}

TEST(ContractList, requirementIds_ofThisProgram_haveTests) {
    EXPECT_GT(expectNumbersOf("architecture"), 2);
}

/// Returns the number of calls of a member function in the sources under `folder`.
int callsOf(const std::string& pattern, const char* folder) {
    const std::regex call(pattern);
    int calls = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(LACUNA_SOURCE_DIR) / folder)) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string text = textOf(entry.path());
        calls += static_cast<int>(std::distance(
            std::sregex_iterator(text.begin(), text.end(), call), std::sregex_iterator()));
    }
    return calls;
}

TEST(ContractList, S1_03_compactionDriver_isCalledOnceInTheLoop) {
    EXPECT_EQ(callsOf(R"(compactor\(\)\.afterStep\()", "engine/generate"), 1);
    EXPECT_EQ(callsOf(R"(compactor\(\)\.afterStep\()", "engine/session"), 0);
}

TEST(ContractList, S1_54_loop_neverEvictsASingleCache) {
    for (const char* folder : {"engine/session", "app/state", "ui"})
        EXPECT_EQ(callsOf(R"(\b(compactInPlace|applyInPlace)\()", folder), 0) << folder;
    // The measurement of kept information evicts from its own copy (kept_information.cpp).
    EXPECT_EQ(callsOf(R"(\b(compactInPlace|applyInPlace)\()", "engine/generate"), 1);
}

TEST(ContractList, S1_76_sources_areCleanAndUnderTheProjectLicence) {
    EXPECT_NE(textOf(LACUNA_SOURCE_DIR "/LICENSE").find("GNU GENERAL PUBLIC LICENSE"),
              std::string::npos);
    int seen = 0;
    for (const char* folder : {"engine", "app", "ui", "tests"})
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(LACUNA_SOURCE_DIR) / folder)) {
            if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
            const std::string text = textOf(entry.path());
            ++seen;
            EXPECT_TRUE(text.ends_with("\n")) << entry.path();
            EXPECT_EQ(text.find('\t'), std::string::npos) << entry.path();
            EXPECT_EQ(text.find(" \n"), std::string::npos) << entry.path();
        }
    EXPECT_GT(seen, 500);
}

}  // namespace
}  // namespace lacuna::test
