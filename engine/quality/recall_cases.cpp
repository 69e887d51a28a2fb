#include "engine/quality/recall_cases.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/generate/prompt.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kTaskStream = 0x7461736b;  // "task"
constexpr double kCharactersPerToken = 3.5;
constexpr int kLineTokens = 20;  // approximate length of a register line or a pair
constexpr int kFactsPerText = 6;
constexpr std::size_t kMaxParagraphLength = 1500;

constexpr std::array kNames{"Maria", "John", "Aisha", "Olga",  "Pierre", "Lars",  "Diego",
                            "Hana",  "Kofi", "Yuki",  "Elena", "Sven",   "Nadia", "Marco",
                            "Grace", "Hugo", "Ruth",  "Clara", "Victor", "Greta", "Henry"};
constexpr std::array kPlaces{"Paris",  "Oslo",   "Lima",   "Kyoto",    "Cairo",  "Boston",
                             "Prague", "Dublin", "Lisbon", "Helsinki", "Vienna", "Toronto"};
constexpr std::array kThings{"locker", "safe", "suitcase", "cabinet", "vault", "bicycle"};
constexpr std::array kTrades{"baker",  "teacher", "pilot",  "nurse",    "carpenter",
                             "lawyer", "farmer",  "sailor", "gardener", "librarian"};

template <class List>
std::string_view oneOf(const List& list, RandomStream& random) {
    return list[random.below(list.size())];
}

std::string digits(RandomStream& random) {
    std::string out;
    for (std::uint64_t left = 4 + random.below(3); left > 0; --left)
        out += static_cast<char>('0' + random.below(10));
    return out;
}

std::string inventedWord(RandomStream& random) {
    constexpr std::string_view kConsonants = "bcdfghjklmnprstvz";
    constexpr std::string_view kVowels = "aeiou";
    std::string out;
    for (std::uint64_t left = 2 + random.below(2); left > 0; --left) {
        out += kConsonants[random.below(kConsonants.size())];
        out += kVowels[random.below(kVowels.size())];
    }
    return out;
}

struct Fact {
    std::string statement, question, answer, key;
};

Fact makeFact(std::string_view name, RandomStream& random) {
    switch (random.below(4)) {
        case 0: {
            const std::string_view place = oneOf(kPlaces, random);
            return {format("{} lives in {}.", name, place), format("Where does {} live?", name),
                    format("{} lives in {}.", name, place), std::string(place)};
        }
        case 1: {
            const std::string_view trade = oneOf(kTrades, random);
            return {format("{} works as a {}.", name, trade), format("What is {}'s job?", name),
                    format("{} works as a {}.", name, trade), std::string(trade)};
        }
        case 2: {
            const std::string year = format("{}", 1900 + random.below(110));
            return {format("{} was born in {}.", name, year), format("When was {} born?", name),
                    format("{} was born in {}.", name, year), year};
        }
        default: {
            const std::string_view thing = oneOf(kThings, random);
            const std::string code = digits(random);
            return {format("The code of the {} of {} is {}.", thing, name, code),
                    format("What is the code of {}'s {}?", name, thing),
                    format("The code of {}'s {} is {}.", name, thing, code), code};
        }
    }
}

std::vector<std::string_view> paragraphs(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        if (end > 0) out.push_back(text.substr(0, std::min(end, kMaxParagraphLength)));
        text.remove_prefix(std::min(text.size(), end + 2));
    }
    return out;
}

RecallCase factCase(const RecallTaskOptions& options, RandomStream& random) {
    const std::vector<std::string_view> filler = paragraphs(options.filler);
    std::vector<std::string> parts;
    const auto wanted = static_cast<std::size_t>(options.approxTokens * kCharactersPerToken);
    std::size_t size = 0;
    for (std::size_t at = filler.empty() ? 0 : random.below(filler.size());
         size < wanted && !filler.empty(); ++at) {
        parts.emplace_back(filler[at % filler.size()]);
        size += parts.back().size();
    }
    std::set<std::string_view> names;
    while (names.size() < kFactsPerText) names.insert(oneOf(kNames, random));
    std::vector<Fact> facts;
    for (const std::string_view name : names) {
        facts.push_back(makeFact(name, random));
        const auto place = static_cast<std::ptrdiff_t>(random.below(parts.size() + 1));
        parts.insert(parts.begin() + place, facts.back().statement);
    }
    const Fact& asked = facts[random.below(facts.size())];
    std::string text = "Read this text.\n\n";
    for (const std::string& part : parts) text += part + "\n\n";
    return {.kind = "facts",
            .messages = {{.role = "user", .content = text + asked.question}},
            .answer = asked.answer,
            .key = asked.key};
}

RecallCase listCase(const RecallTaskOptions& options, RandomStream& random) {
    const bool lines = options.task == RecallTask::Lines;
    const int count = std::max(3, options.approxTokens / kLineTokens);
    std::vector<std::pair<std::string, std::string>> rows;
    std::set<std::string> used;
    while (static_cast<int>(rows.size()) < count) {
        const std::string first = inventedWord(random);
        const std::string name = first + "-" + inventedWord(random);
        if (used.insert(name).second) rows.emplace_back(name, digits(random));
    }
    std::string text;
    for (const auto& [name, value] : rows)
        text += lines ? format("line {}: the register holds {}\n", name, value)
                      : format("\"{}\": \"{}\",\n", name, value);
    const auto& [name, value] = rows[random.below(rows.size())];
    text += lines ? format("\nWhat does the register of line {} hold?", name)
                  : format("\nWhat is the value of \"{}\"?", name);
    return {.kind = lines ? "lines" : "pairs",
            .messages = {{.role = "user", .content = text}},
            .answer = lines ? format("The register of line {} holds {}.", name, value)
                            : format("The value of \"{}\" is \"{}\".", name, value),
            .key = value};
}

}  // namespace

RecallCase makeRecallCase(const RecallTaskOptions& options) {
    RandomStream random(options.seed, kTaskStream);
    RecallCase made =
        options.task == RecallTask::Facts ? factCase(options, random) : listCase(options, random);
    made.approxTokens = options.approxTokens;
    return made;
}

std::vector<RecallCase> makeRecallCases(int rounds, const std::vector<int>& lengths,
                                        std::string_view filler, std::uint64_t seed) {
    std::vector<RecallCase> cases;
    std::uint64_t counter = 0;
    for (int round = 0; round < rounds; ++round)
        for (const RecallTask task : {RecallTask::Facts, RecallTask::Lines, RecallTask::Pairs})
            for (const int length : lengths)
                cases.push_back(makeRecallCase({.task = task,
                                                .approxTokens = length,
                                                .filler = filler,
                                                .seed = randomBits(seed, kTaskStream, counter++)}));
    return cases;
}

std::size_t tokensOfText(std::span<const TokenId> prompt, std::span<const TokenId> textAlone) {
    const auto apart =
        std::mismatch(prompt.begin(), prompt.end(), textAlone.begin(), textAlone.end());
    const auto common = static_cast<std::size_t>(apart.first - prompt.begin());
    return prompt.empty() ? 0 : std::min(common, prompt.size() - 1);
}

Result<std::size_t> tokensBeforeQuestion(const LoadedModel& model,
                                         std::span<const ChatMessage> messages,
                                         std::span<const TokenId> prompt) {
    std::vector<ChatMessage> without(messages.begin(), messages.end());
    if (without.empty()) return std::size_t{0};
    std::string& text = without.back().content;
    const std::size_t blank = text.rfind("\n\n");
    text.resize(blank == std::string::npos ? 0 : blank + 2);
    LACUNA_TRY(const std::vector<TokenId> other, promptTokens(model, without));
    return tokensOfText(prompt, other);
}

}  // namespace lacuna
