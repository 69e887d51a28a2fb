// RULER's tasks compared with the output of the published generator (tests/golden/ruler), and with
// simple solvers: a search, an interpreter of assignments, word counts.

#include "app/bench/ruler_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "app/bench/ruler_passages.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

const RulerText& story() {
    static const RulerText text(
        readFile(std::string(LACUNA_RESOURCE_DIR) + "/texts/the_naval_treaty.txt", 1U << 20)
            .value());
    return text;
}

const Json& published() {
    static const Json json =
        parseJson(readFile(LACUNA_GOLDEN_DIR "/ruler/published.json", 1U << 20).value()).value();
    return json;
}

/// Counts four bytes as one token.
Result<std::int64_t> quarterOfBytes(const RulerQuestion& made) {
    const std::size_t bytes = made.context.size() + made.question.size() + made.answerPrefix.size();
    return static_cast<std::int64_t>(bytes / 4 + 1);
}

RulerQuestion questionOf(std::string_view task, int length = 1024, std::uint64_t seed = 1) {
    auto made =
        makeRulerQuestion(story(), {.task = task, .length = length, .seed = seed}, quarterOfBytes);
    EXPECT_TRUE(made) << task << ": " << describe(made.error());
    return made ? std::move(*made) : RulerQuestion();
}

std::vector<std::string> linesOf(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> out;
    for (std::string line; std::getline(stream, line);) out.push_back(line);
    return out;
}

std::vector<std::string> allMatches(const std::string& text, const std::regex& form) {
    return {std::sregex_token_iterator(text.begin(), text.end(), form), {}};
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
}

const std::regex& needleForm() {
    static const std::regex form(
        "One of the special magic [a-z]+ for [0-9a-z-]+ is: [0-9a-f-]+\\.");
    return form;
}

/// Replaces random names, numbers and words by placeholders.
std::string formOf(std::string text) {
    const std::pair<const char*, const char*> forms[] = {
        {"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", "<uuid>"},
        {"\\b[0-9]{7}\\b", "<number>"},
        {"\\b[0-9]{5}\\b", "<value>"},
        {"\\b[a-z]+-[a-z]+(-[a-z]+)?\\b", "<key>"},
        {"\\b(?!VAR\\b)[A-Z]{3}\\b", "<three>"},
        {"\\b[A-Z]{5}\\b", "<five>"},
        {"\\b([0-9]+)\\. [a-z]+(-[a-z]+)*", "$1. <word>"},
        {"(Document [0-9]+):\n[^\n]+\n\n", "$1:\n<text>\n\n"},
        {"(Document [0-9]+):\n[^\n]+\n[^\n]+\n\n", "$1:\n<title>\n<text>\n\n"},
        {"(\n\nQuestion: )[^\n]+$", "$1<asked>"}};
    for (const auto& [from, to] : forms) text = std::regex_replace(text, std::regex(from), to);
    return text;
}

TEST(RulerTasks, taskNames_areTheThirteenPublishedOnes) {
    std::set<std::string> names;
    for (const auto& [name, golden] : published().at("tasks").items()) names.insert(name);
    EXPECT_EQ(names.size(), 13U);
    EXPECT_EQ(names, std::set<std::string>(rulerTaskNames().begin(), rulerTaskNames().end()));
}

TEST(RulerTasks, promptForms_equalThoseOfThePublishedGenerator) {
    for (const std::string_view name : rulerTaskNames()) {
        const Json& golden = published().at("tasks").at(std::string(name));
        const RulerQuestion made = questionOf(name);
        const auto begin = golden.at("begin").get<std::string>();
        const std::string task(name);
        EXPECT_EQ(formOf(made.question), formOf(golden.at("question").get<std::string>())) << task;
        EXPECT_EQ(formOf(" " + made.answerPrefix),
                  formOf(golden.at("answer_prefix").get<std::string>()))
            << task;
        EXPECT_EQ(made.answers.size(), golden.at("outputs").size()) << task;
        if (golden.contains("line")) {
            EXPECT_TRUE(made.context.starts_with(begin)) << made.context.substr(0, 200);
            const auto needles = allMatches(made.context, needleForm());
            ASSERT_FALSE(needles.empty()) << task;
            for (const std::string& needle : needles)
                EXPECT_EQ(formOf(needle), formOf(golden.at("line").get<std::string>())) << task;
            EXPECT_TRUE(made.context.ends_with("\n")) << task;
        }
        if (golden.contains("end")) {
            EXPECT_EQ(made.context.ends_with("\n\n"),
                      golden.at("end").get<std::string>().ends_with("\n\n"))
                << task;
        }
        if (task.starts_with("qa")) {
            EXPECT_TRUE(formOf(made.context).starts_with(formOf(begin))) << task << made.context;
        }
    }
    EXPECT_TRUE(questionOf("fwe").context.starts_with(
        published().at("tasks").at("fwe").at("begin").get<std::string>() + "..."))
        << "the dots are the likeliest word by far";
}

TEST(RulerTasks, noiseAndChainLines_equalThePublishedOnes) {
    const Json& golden = published().at("tasks").at("vt");
    const RulerQuestion made = questionOf("vt", 2048);
    const std::size_t cut = made.context.rfind("Memorize and track");
    const std::string example = made.context.substr(0, cut);
    const std::string asked = made.context.substr(cut);
    const auto noise = golden.at("noise").get<std::string>();
    EXPECT_EQ(published().at("tasks").at("niah_single_1").at("noise"), noise);
    EXPECT_TRUE(asked.starts_with(golden.at("begin").get<std::string>()));
    EXPECT_EQ(formOf(example.substr(example.find("Question:"))),
              formOf(golden.at("example_end").get<std::string>()));
    for (const auto& [part, key] : {std::pair{example, "example_chain"}, {asked, "chain"}}) {
        std::vector<std::string> chain;
        for (const std::string& line : linesOf(part)) {
            if (line.starts_with("VAR")) chain.push_back(formOf(line));
            if (line.find("grass") != std::string::npos) {
                EXPECT_EQ(line, noise);
            }
        }
        std::vector<std::string> expected;
        for (const Json& line : golden.at(key)) expected.push_back(formOf(line.get<std::string>()));
        EXPECT_EQ(chain, expected) << key;
    }
    for (const std::string& line : linesOf(questionOf("niah_single_1").context))
        if (line.find("special magic") == std::string::npos) {
            EXPECT_EQ(line, noise);
        }
}

TEST(RulerTasks, needles_occurOnceEachWithTheirKey) {
    for (const std::string_view name : rulerTaskNames()) {
        if (!name.starts_with("niah")) continue;
        for (const int length : {1024, 6000})
            for (std::uint64_t seed = 0; seed < 5; ++seed) {
                const RulerQuestion made = questionOf(name, length, seed);
                const auto needles = allMatches(made.context, needleForm());
                std::set<std::string> values;
                for (const std::string& answer : made.answers) {
                    EXPECT_EQ(occurrences(made.context, answer), 1U) << name << " " << answer;
                    values.insert(answer);
                    for (const std::string& needle : needles) {
                        if (needle.find(answer) == std::string::npos) continue;
                        const std::size_t begin = needle.find(" for ") + 5;
                        const std::string key = needle.substr(begin, needle.find(" is: ") - begin);
                        EXPECT_NE(made.question.find(key), std::string::npos) << needle;
                    }
                }
                EXPECT_EQ(values.size(), made.answers.size()) << name;
                EXPECT_EQ(std::set<std::string>(needles.begin(), needles.end()).size(),
                          needles.size());
                const bool haystack = name == "niah_multikey_2" || name == "niah_multikey_3";
                const std::size_t expected =
                    name == "niah_multikey_1" ? 4 : std::max<std::size_t>(made.answers.size(), 1);
                EXPECT_EQ(needles.size(),
                          haystack ? static_cast<std::size_t>(made.size) + 1 : expected)
                    << name;
            }
    }
}

TEST(RulerTasks, needles_areSpreadOverAllDepths) {
    for (const char* name : {"niah_single_1", "niah_single_2", "niah_multikey_3"}) {
        std::array<int, 5> fifths{};
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const RulerQuestion made = questionOf(name, 1500, seed);
            const std::size_t at = made.context.find(made.answers[0]);
            ++fifths[std::min<std::size_t>(at * 5 / made.context.size(), 4)];
        }
        for (const int count : fifths) {
            EXPECT_GE(count, 8) << name;
            EXPECT_LE(count, 36) << name;
        }
    }
}

TEST(RulerTasks, variableChains_evaluateToTheirAnswers) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const RulerQuestion made = questionOf("vt", 2048, seed);
        std::map<std::string, std::string> variables;
        std::set<std::string> assigned;
        std::string order;
        const std::string asked = made.context.substr(made.context.rfind("Memorize and track"));
        for (const std::string& line : linesOf(asked)) {
            std::istringstream words(line);
            std::string var, name, equals, value, from;
            if (!(words >> var >> name >> equals >> value) || var != "VAR") continue;
            if (words >> from) {
                ASSERT_EQ(value, "VAR");
                ASSERT_TRUE(variables.contains(from)) << line << " before " << from;
                value = variables[from];
            }
            EXPECT_TRUE(assigned.insert(name).second) << name << " is assigned twice";
            variables[name] = value;
        }
        std::set<std::string> found;
        for (const auto& [name, value] : variables)
            if (made.question.find("value " + value + " in") != std::string::npos)
                found.insert(name);
        EXPECT_EQ(found, std::set<std::string>(made.answers.begin(), made.answers.end()));
        EXPECT_EQ(found.size(), 5U);
    }
}

/// Word counts of a numbered list, whose numbers must run from 1.
std::map<std::string, int> countsOfList(const std::string& text) {
    std::map<std::string, int> counts;
    int number = 0;
    static const std::regex item("([0-9]+)\\. (\\S+)");
    for (std::sregex_iterator one(text.begin(), text.end(), item), end; one != end; ++one) {
        EXPECT_EQ((*one)[1].str(), format("{}", ++number));
        ++counts[(*one)[2].str()];
    }
    return counts;
}

std::map<int, int> wordsByCount(const std::map<std::string, int>& counts) {
    std::map<int, int> out;
    for (const auto& [word, count] : counts) ++out[count];
    return out;
}

TEST(RulerTasks, commonWords_occurAsOftenAsPublished) {
    for (const int length : {1024, 4096}) {
        const Json& golden =
            published().at("tasks").at("cwe").at("counts").at(std::to_string(length));
        const RulerQuestion made = questionOf("cwe", length);
        const std::size_t cut = made.context.rfind("Below is a numbered");
        const std::string example = made.context.substr(0, made.context.find("\nQuestion:"));
        std::map<int, int> shown;
        for (const Json& pair : golden.at("example")) shown[pair[0]] = pair[1];
        EXPECT_EQ(wordsByCount(countsOfList(example)), shown) << length;
        const auto counts = countsOfList(made.context.substr(cut));
        EXPECT_EQ(static_cast<int>(counts.size()), made.size);
        const int rare = golden.at("asked")[0][0];
        const int common = golden.at("asked")[1][0];
        EXPECT_EQ(wordsByCount(counts), (std::map<int, int>{{rare, made.size - 10}, {common, 10}}))
            << length;
        for (const std::string& answer : made.answers) EXPECT_EQ(counts.at(answer), common);
    }
}

TEST(RulerTasks, frequentWords_occurAsOftenAsPublished) {
    const Json& golden = published().at("tasks").at("fwe");
    // The published text has some size for this number of tokens; one of the generated texts must
    // have the same counts.
    const std::vector<int> expected = golden.at("counts");
    bool found = false;
    for (int room = 700; room < 1100 && !found; ++room) {
        const auto tokens = [room](const RulerQuestion& made) -> Result<std::int64_t> {
            return made.size > room / 2 ? 2000 : 1;
        };
        const auto made =
            makeRulerQuestion(story(), {.task = "fwe", .length = 1024, .seed = 3}, tokens);
        ASSERT_TRUE(made);
        const std::string begin = golden.at("begin");
        std::istringstream words(made->context.substr(begin.size()));
        std::map<std::string, int> counts;
        for (std::string word; words >> word;) ++counts[word];
        std::vector<int> sorted;
        for (const auto& [word, count] : counts) sorted.push_back(count);
        std::ranges::sort(sorted, std::greater());
        found = sorted == expected;
        EXPECT_EQ(counts["..."], sorted[0]);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(counts[made->answers[i]], sorted[i + 1]);
            EXPECT_GT(sorted[i + 1], sorted[i + 2]) << "no tie decides what is right";
        }
    }
    EXPECT_TRUE(found);
}

/// Documents that contain a text.
std::vector<std::string> documentsWith(const RulerQuestion& made, const std::string& part) {
    std::vector<std::string> out;
    const std::string& context = made.context;
    for (std::size_t at = context.find("Document 1:"); at != std::string::npos;) {
        const std::size_t next = context.find("\n\nDocument ", at);
        const std::string one = context.substr(at, next == std::string::npos ? next : next - at);
        if (one.find(part) != std::string::npos) out.push_back(one);
        at = next == std::string::npos ? next : next + 2;
    }
    return out;
}

std::string askedPerson(const RulerQuestion& made) {
    static const std::regex name(
        "[A-Z][a-z]+ (?:[A-Z]\\. )?[A-Z][a-z]+(?= born| learn| found| kept|\\?)");
    const std::string asked = made.question.substr(made.question.rfind("Question: ") + 10);
    const auto found = allMatches(asked, name);
    return found.empty() ? "nobody in " + asked : found.front();
}

TEST(RulerTasks, singleHopReading_hasOneAnsweringDocument) {
    std::set<std::string> answers;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const RulerQuestion made = questionOf("qa_1", 2048, seed);
        const auto documents = documentsWith(made, askedPerson(made));
        ASSERT_EQ(documents.size(), 1U) << made.question;
        EXPECT_NE(documents[0].find(made.answers.at(0)), std::string::npos) << documents[0];
        EXPECT_EQ(made.metric, RulerMetric::Any);
        answers.insert(made.answers[0]);
        EXPECT_EQ(occurrences(made.context, "Document "), static_cast<std::size_t>(made.size));
    }
    EXPECT_GT(answers.size(), 25U);
}

TEST(RulerTasks, twoHopReading_needsBothDocuments) {
    static const std::regex society("[A-Z][a-z]+ [A-Z][a-z]+ Society");
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const RulerQuestion made = questionOf("qa_2", 2048, seed);
        const auto first = documentsWith(made, askedPerson(made));
        ASSERT_EQ(first.size(), 1U) << made.question;
        EXPECT_EQ(first[0].find(made.answers.at(0)), std::string::npos) << first[0];
        const auto named = allMatches(first[0], society);
        ASSERT_EQ(named.size(), 1U) << first[0];
        EXPECT_EQ(made.question.find(named[0]), std::string::npos);
        const auto second = documentsWith(made, ":\n" + named[0] + "\n");
        ASSERT_EQ(second.size(), 1U) << named[0];
        EXPECT_NE(second[0].find(made.answers[0]), std::string::npos) << second[0];
        EXPECT_EQ(documentsWith(made, named[0]).size(), 2U);
    }
}

TEST(RulerTasks, promptLength_isWithinAndCloseToTheLimit) {
    for (const std::string_view name : rulerTaskNames())
        for (const int length : {1024, 4096, 8192}) {
            const RulerQuestion made = questionOf(name, length);
            const std::int64_t tokens = *quarterOfBytes(made) + made.answerTokens;
            EXPECT_LE(tokens, length) << name;
            EXPECT_GE(tokens, length - 150) << name;
            EXPECT_EQ(made.task, name);
        }
}

TEST(RulerTasks, equalSeeds_giveEqualTasks) {
    for (const std::string_view name : rulerTaskNames()) {
        const RulerQuestion once = questionOf(name, 1024, 5);
        const RulerQuestion again = questionOf(name, 1024, 5);
        const RulerQuestion other = questionOf(name, 1024, 6);
        EXPECT_EQ(once.context, again.context) << name;
        EXPECT_EQ(once.answers, again.answers) << name;
        EXPECT_NE(once.context, other.context) << name;
        if (!name.starts_with("qa")) {
            // The same question in a larger haystack.
            EXPECT_EQ(questionOf(name, 2048, 5).answerPrefix, once.answerPrefix) << name;
        }
    }
}

TEST(RulerTasks, invalidRequest_isRejectedWithTheValidNames) {
    const auto unknown =
        makeRulerQuestion(story(), {.task = "niah_single_4", .length = 1024}, quarterOfBytes);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(unknown.error().what.find("niah_multikey_3"), std::string::npos);
    for (const std::string_view name : rulerTaskNames()) {
        const auto made = makeRulerQuestion(story(), {.task = name, .length = 100}, quarterOfBytes);
        ASSERT_FALSE(made) << name;
        EXPECT_EQ(made.error().code, ErrorCode::Range) << name;
        EXPECT_NE(made.error().what.find(name), std::string::npos) << made.error().what;
    }
    const auto failing = [](const RulerQuestion&) -> Result<std::int64_t> {
        return fail(ErrorCode::Cancelled, "stopped");
    };
    EXPECT_EQ(makeRulerQuestion(story(), {.task = "vt"}, failing).error().code,
              ErrorCode::Cancelled);
}

TEST(RulerScore, score_equalsThePublishedFunctions) {
    ASSERT_GT(published().at("scores").size(), 8U);
    for (const Json& one : published().at("scores")) {
        RulerQuestion question;
        question.answers = one.at("answers").get<std::vector<std::string>>();
        question.metric = one.at("metric") == "all" ? RulerMetric::All : RulerMetric::Any;
        const double percent = 100 * rulerScore(one.at("output").get<std::string>(), question);
        EXPECT_NEAR(percent, one.at("score").get<double>(), 0.005) << one;
    }
}

TEST(RulerText, sentences_areSplitAtTheirEnds) {
    const RulerText text(
        "Mr. Holt came in. \"Is it you?\" asked J. Brown.\nIt was!\n\nNobody (else) spoke for "
        "long");
    ASSERT_EQ(text.sentenceCount(), 5U);
    EXPECT_EQ(text.sentences(0, 100).front(), "Mr. Holt came in.");
    const auto two = text.sentences(1, 8);
    EXPECT_EQ(two, (std::vector<std::string>{"\"Is it you?\"", "asked J. Brown.", "It was!"}));
    const auto wrapped = text.sentences(4, 9);
    EXPECT_EQ(wrapped,
              (std::vector<std::string>{"Nobody (else) spoke for long", "Mr. Holt came in."}));
    EXPECT_EQ(text.sentences(9, 9), wrapped);
    EXPECT_TRUE(RulerText("").sentences(3, 5).empty());
    for (const char* word : {"asked", "spoke", "meadow", "whisper", "quiet"})
        EXPECT_TRUE(std::ranges::binary_search(text.vocabulary(), word)) << word;
    EXPECT_FALSE(std::ranges::binary_search(text.vocabulary(), "Nobody"));
}

TEST(RulerPassages, largerSet_startsWithTheSmallerOne) {
    for (const PassageHops hops : {PassageHops::One, PassageHops::Two}) {
        const PassageQuestion few = makePassageQuestion(hops, 5, 9);
        const PassageQuestion many = makePassageQuestion(hops, 3000, 9);
        ASSERT_EQ(few.passages.size(), 5U);
        ASSERT_EQ(many.passages.size(), 3000U);
        EXPECT_EQ(few.question, many.question);
        EXPECT_EQ(few.answer, many.answer);
        for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(few.passages[i].text, many.passages[i].text);
        std::set<std::string> titles;
        for (const Passage& one : many.passages) EXPECT_TRUE(titles.insert(one.title).second);
    }
}

}  // namespace
}  // namespace lacuna
