#pragma once
/// \file
/// Ids of the cache contract in the names of this program's tests, and those that the list of
/// requirements expects of a module.

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace lacuna::test {

/// A line of the list, such as "S1_26 elsewhere review only". A module needs no reason.
struct ContractNumber {
    std::string id;
    std::string room;
    std::string reason;
};

/// Parses the text of a list.
inline std::vector<ContractNumber> contractNumbersIn(const std::string& list) {
    std::istringstream file(list);
    std::vector<ContractNumber> out;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        ContractNumber number;
        words >> number.id >> number.room >> std::ws;
        std::getline(words, number.reason);
        out.push_back(std::move(number));
    }
    return out;
}

inline std::string contractList() {
    std::ifstream file(LACUNA_GOLDEN_DIR "/cache-contract/requirements.txt");
    EXPECT_TRUE(file.good());
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::vector<ContractNumber> contractNumbers() {
    return contractNumbersIn(contractList());
}

/// Adds the ids in a name: "CH_04_D_04_saveAndLoad" has CH_04 and D_04.
inline void addNumbers(const std::string& name, std::set<std::string>& out) {
    std::istringstream words(name);
    std::string previous;
    for (std::string word; std::getline(words, word, '_'); previous = word) {
        const bool number = word.size() == 2 && std::isdigit(word[0]) && std::isdigit(word[1]);
        if (number && !previous.empty()) out.insert(previous + "_" + word);
    }
}

inline std::set<std::string> numbersOfTests() {
    std::set<std::string> out;
    const auto* all = testing::UnitTest::GetInstance();
    for (int s = 0; s < all->total_test_suite_count(); ++s) {
        const auto* suite = all->GetTestSuite(s);
        for (int t = 0; t < suite->total_test_count(); ++t)
            addNumbers(suite->GetTestInfo(t)->name(), out);
    }
    return out;
}

/// Returns the requirements of a module.
inline std::set<std::string> numbersOf(const std::string& room) {
    std::set<std::string> out;
    for (const ContractNumber& number : contractNumbers())
        if (number.room == room) out.insert(number.id);
    return out;
}

/// Returns a sentence for each id of `wanted` that is not in `present`: "S1_26 has no test".
inline std::vector<std::string> without(const std::set<std::string>& wanted,
                                        const std::set<std::string>& present,
                                        const std::string& what) {
    std::vector<std::string> out;
    for (const std::string& id : wanted)
        if (!present.contains(id)) out.push_back(id + what);
    return out;
}

/// Fails for each requirement of `wanted` that no test names. Returns their number.
inline int expectNumbersOf(const std::string& wanted) {
    const auto mine = numbersOf(wanted);
    EXPECT_EQ(without(mine, numbersOfTests(), " has no test"), std::vector<std::string>{});
    return static_cast<int>(mine.size());
}

}  // namespace lacuna::test
