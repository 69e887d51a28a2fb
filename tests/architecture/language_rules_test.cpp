// Comments and names use the standard terms of the field: a word from the left column fails with
// the word to use instead (docs/CONTRIBUTING.md, "Language").

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/source_files.h"

namespace lacuna::test {
namespace {

struct Rule {
    std::string_view words;  ///< lower case
    std::string_view instead;
};

constexpr std::array kCommentRules{
    Rule{"whoever", "the caller, the client, the user"},
    Rule{"somebody", "the caller, the client, the user"},
    Rule{"nobody", "no caller, no client"},
    Rule{"let go", "release"},
    Rule{"lets go", "releases"},
    Rule{"gives back", "releases, returns"},
    Rule{"given back", "released, returned"},
    Rule{"gives way", "yields, is evicted"},
    Rule{"goes on", "continues, resumes"},
    Rule{"is told", "is notified"},
    Rule{"are told", "are notified"},
    Rule{"told of", "notified of"},
    Rule{"hears of", "is notified of"},
    Rule{"is said", "is reported, is published"},
    Rule{"says so", "reports it"},
    Rule{"in one go", "at once, in one call"},
    Rule{"for good", "permanently"},
    Rule{"none that", "no ... that"},
    Rule{"lies there", "is stored there"},
    Rule{"comes into force", "takes effect"},
    Rule{"of its own accord", "automatically"},
    Rule{"by itself", "automatically, alone"},
    Rule{"by themselves", "automatically, alone"},
    Rule{"foretold", "predicted"},
    Rule{"foretells", "predicts"},
    Rule{"keeper", "storage, state saver"},
    Rule{"the pilot", "the test model"},
    Rule{"what came of", "the result of"},
    Rule{"anew", "again"},
    Rule{"broken off", "cancelled"},
    Rule{"breaks off", "cancels"},
    Rule{"taken up", "resumed, applied"},
    Rule{"judges", "checks, assesses"},
    Rule{"judged by", "scored with"},
    Rule{"in force", "in effect"},
    Rule{"goes back", "is rolled back"},
    Rule{"have parted", "diverge"},
};
constexpr std::array kFirstWords{
    Rule{"of", "a subject"},
    Rule{"what", "a noun phrase or a verb"},
    Rule{"whether", "returns whether, true if"},
    Rule{"whose", "a subject"},
    Rule{"where", "when, if"},
    Rule{"nothing", "a subject, nullopt if"},
    Rule{"none", "a subject"},
    Rule{"those", "a noun phrase"},
};
constexpr std::array kTypeWords{
    Rule{"Desk", "Queue, Service, Scheduler"},
    Rule{"Shelf", "Library"},
    Rule{"Keeper", "Storage, StateSaver"},
    Rule{"Door", "Client, Host, SingleInstance"},
    Rule{"Wish", "Request, Query, Options"},
    Rule{"Means", "Dependencies, Context"},
    Rule{"Knob", "Setting"},
    Rule{"Foresight", "Trial"},
    Rule{"Foretold", "Predicted"},
    Rule{"Tidying", "Defragmenting"},
};

/// Consecutive words of an identifier, in lower case.
constexpr std::array kNameWords{
    Rule{"say", "publish, report, send"},
    Rule{"says", "publishes, reports, contains"},
    Rule{"said", "published, reported; the event itself"},
    Rule{"tell", "notify, publish, showMessage"},
    Rule{"tells", "notifies, publishes"},
    Rule{"told", "notified, reported"},
    Rule{"hear", "receive, observe"},
    Rule{"heard", "received, observed"},
    Rule{"unheard", "pending"},
    Rule{"go on", "continue, resume"},
    Rule{"goes on", "continues, is running"},
    Rule{"going on", "continued, running"},
    Rule{"go back", "rollBack, findPrevious"},
    Rule{"goes back", "rolls back"},
    Rule{"goes along", "is forwarded"},
    Rule{"take back", "undo, requeue, restore"},
    Rule{"let go", "release"},
    Rule{"give back", "release, return"},
    Rule{"give up", "cancel, release"},
    Rule{"given up", "discarded, released"},
    Rule{"forget", "drop, clear, remove, release"},
    Rule{"forgets", "drops, hasEvicted"},
    Rule{"forgotten", "evicted, dropped"},
    Rule{"forgetting", "eviction"},
    Rule{"remember", "store, keep"},
    Rule{"remembered", "stored, kept"},
    Rule{"brought", "implied, restored"},
    Rule{"break off", "cancel, interrupt"},
    Rule{"breaks off", "cancels, interrupts"},
    Rule{"broken off", "cancelled, interrupted, truncated"},
    Rule{"aside", "quarantine, move"},
    Rule{"beside", "parallel, next to"},
    Rule{"foresee", "predict, simulate"},
    Rule{"foreseen", "predicted"},
    Rule{"tidy", "defragment"},
    Rule{"loose", "fragmented"},
    Rule{"chore", "maintenance"},
    Rule{"orders", "requests, commands"},
    Rule{"whole cache", "full cache"},
    Rule{"why", "reason"},
    Rule{"wanted", "requested, expected, needed"},
    Rule{"k most", "kMax"},
    Rule{"k least", "kMin"},
    Rule{"fewest", "min"},
    Rule{"usual", "default"},
    Rule{"judge", "check, score"},
    Rule{"judged", "checked, scored"},
    Rule{"judges", "checks, scores"},
    Rule{"turned", "rotated, transposed"},
    Rule{"parted", "diverged"},
    Rule{"parting", "divergence, split"},
    Rule{"chance", "probability, logprob"},
    Rule{"chances", "probabilities, logprobs"},
    Rule{"fate", "state"},
    Rule{"fates", "states"},
    Rule{"sought", "needed, searched"},
    Rule{"standing", "current, phase"},
    Rule{"in sight", "visible, near"},
    Rule{"in force", "in effect"},
    Rule{"obey", "execute"},
    Rule{"of a", "per"},
    Rule{"dress", "style"},
    Rule{"trouble", "problem"},
    Rule{"strangers", "unknown"},
    Rule{"anew", "again, reread"},
    Rule{"elsewhere", "other"},
    Rule{"needless", "redundant"},
    Rule{"merits", "scores"},
};

struct Comment {
    std::string place;
    std::string text;
};

bool isComment(const std::string& line, std::string& text) {
    static const std::regex whole(R"(^\s*///?<?\s?(.*)$)");
    static const std::regex trailing(R"([;{},)]\s+///?<?\s*(.+)$)");
    std::smatch match;
    if (!std::regex_search(line, match, whole) && !std::regex_search(line, match, trailing))
        return false;
    text = match[1];
    return true;
}

const std::vector<SourceFile>& sources() {
    static const std::vector<SourceFile> all = sourceFiles({"engine", "app", "ui", "tests"});
    return all;
}

/// Comment blocks: consecutive comment lines joined, so that a phrase may span two of them.
std::vector<Comment> readComments() {
    std::vector<Comment> found;
    for (const SourceFile& source : sources()) {
        if (source.path.ends_with("language_rules_test.cpp")) continue;
        const std::vector<std::string> lines = linesOf(source.text);
        bool open = false;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            std::string text;
            if (lines[i].find("//") == std::string::npos || !isComment(lines[i], text)) {
                open = false;
                continue;
            }
            if (!open) found.push_back({source.path + ":" + std::to_string(i + 1), {}});
            found.back().text += text + " ";
            open = lines[i].find_first_not_of(" \t") == lines[i].find("//");
        }
    }
    return found;
}

const std::vector<Comment>& comments() {
    static const std::vector<Comment> all = readComments();
    return all;
}

bool containsWords(std::string_view text, std::string_view words) {
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = text.find(words); at != std::string_view::npos;
         at = text.find(words, at + 1)) {
        const std::size_t end = at + words.size();
        if ((at == 0 || !letter(text[at - 1])) && (end == text.size() || !letter(text[end])))
            return true;
    }
    return false;
}

TEST(LanguageRules, comments_useStandardTerms) {
    ASSERT_GT(comments().size(), 10'000U);
    for (const Comment& comment : comments()) {
        std::string lower;
        for (const char c : comment.text)
            lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        for (const Rule& rule : kCommentRules)
            EXPECT_FALSE(containsWords(lower, rule.words))
                << comment.place << ": \"" << rule.words << "\"; use: " << rule.instead;
    }
}

TEST(LanguageRules, comments_beginWithASubjectOrAVerb) {
    for (const Comment& comment : comments()) {
        std::istringstream words(comment.text);
        std::string first;
        words >> first;
        const bool question = comment.text.find('?') != std::string::npos;
        for (const Rule& rule : kFirstWords) {
            std::string capital(rule.words);
            capital[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(capital[0])));
            EXPECT_TRUE(first != capital || question)
                << comment.place << ": begins with \"" << capital << "\"; use: " << rule.instead;
        }
    }
}

/// Splits "m_goesOn" into " m goes on ", with a blank before and after each word.
std::string wordsOf(std::string_view identifier) {
    const auto upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
    std::string words = " ";
    for (std::size_t i = 0; i < identifier.size(); ++i) {
        const char c = identifier[i];
        const bool begins =
            upper(c) && (i == 0 || !upper(identifier[i - 1]) ||
                         (i + 1 < identifier.size() &&
                          std::islower(static_cast<unsigned char>(identifier[i + 1])) != 0));
        if ((begins || c == '_') && words.back() != ' ') words += ' ';
        if (c != '_') words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return words.back() == ' ' ? words : words + ' ';
}

const Rule* brokenRule(std::string_view identifier) {
    const std::string words = wordsOf(identifier);
    for (const Rule& rule : kNameWords)
        if (words.find(" " + std::string(rule.words) + " ") != std::string::npos) return &rule;
    return nullptr;
}

TEST(LanguageRules, nameWithAReplacedWord_isFound) {
    for (const std::string_view name : {"m_told",
                                        "tellStaying",
                                        "goOnWithNewerHalf",
                                        "m_fenceGoesOn",
                                        "ForgetConversation",
                                        "brokenOff",
                                        "BreakOff",
                                        "putAside",
                                        "besideDense",
                                        "makeWholeCache",
                                        "askForChore",
                                        "loose",
                                        "whyNoMore",
                                        "say",
                                        "WhenTold",
                                        "saidNs",
                                        "beforeForgetting_",
                                        "kMostRows",
                                        "m_wanted",
                                        "sendWanted",
                                        "stepsOfAText",
                                        "settingsInForce",
                                        "TokenFate"})
        EXPECT_NE(brokenRule(name), nullptr) << name;
    for (const std::string_view name :
         {"m_reported", "essay", "breaks", "goTo", "wholeNumbers", "bringBack", "ordered",
          "looseness", "takeBackup", "holdsWhyte", "address", "outstanding", "mostLikely",
          "indexOfAll"})
        EXPECT_EQ(brokenRule(name), nullptr) << name;
}

// Functions, members, enumerators and parameters.
TEST(LanguageRules, namesInHeaders_useStandardTerms) {
    static const std::regex text(R"("(?:\\.|[^"\\])*")");
    static const std::regex identifier(R"([A-Za-z_]\w+)");
    const std::sregex_iterator end{};
    int seen = 0;
    for (const SourceFile& source : sources()) {
        if (source.path.rfind("tests/", 0) == 0 || !source.path.ends_with(".h")) continue;
        for (const std::string& line : linesOf(source.text)) {
            const std::string code = std::regex_replace(line, text, "");
            const std::string declared = code.substr(0, code.find("//"));
            for (std::sregex_iterator found(declared.begin(), declared.end(), identifier);
                 found != end; ++found) {
                ++seen;
                const Rule* const rule = brokenRule(found->str());
                if (rule != nullptr)
                    ADD_FAILURE() << source.path << ": " << found->str()
                                  << "; use: " << rule->instead;
            }
        }
    }
    EXPECT_GT(seen, 50'000);
}

TEST(LanguageRules, typesInHeaders_useStandardTerms) {
    static const std::regex definition(R"(\b(?:struct|class|enum class)\s+(\w+)[^;]*\{)");
    int seen = 0;
    for (const SourceFile& source : sources()) {
        if (source.path.rfind("tests/", 0) == 0) continue;
        for (const std::string& line : linesOf(source.text)) {
            std::smatch match;
            if (!std::regex_search(line, match, definition)) continue;
            ++seen;
            const std::string name = match[1];
            for (const Rule& rule : kTypeWords) {
                const std::size_t at = name.find(rule.words);
                const std::size_t end = at + rule.words.size();
                // The rest of a longer word is lower case, as in "Desktop".
                EXPECT_TRUE(
                    at == std::string::npos ||
                    (end < name.size() && std::islower(static_cast<unsigned char>(name[end])) != 0))
                    << source.path << ": " << name << "; use: " << rule.instead;
            }
        }
    }
    EXPECT_GT(seen, 1'000);
}

}  // namespace
}  // namespace lacuna::test
