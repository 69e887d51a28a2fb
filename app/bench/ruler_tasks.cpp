#include "app/bench/ruler_tasks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "app/bench/ruler_passages.h"
#include "engine/base/string_format.h"

// Every task is a function of a size, which is found by bisection as in the published generator.
// The question and its surroundings use separate random streams, so that the same question appears
// in haystacks of any size.

namespace lacuna {
namespace {

enum Stream : std::uint64_t { kAskedStream = 1, kAroundStream, kPlacesStream };

/// Inputs of a task.
struct Making {
    const RulerText& text;
    const RulerTokens& tokens;
    int length = 0;
    std::uint64_t seed = 0;
    [[nodiscard]] RandomStream stream(Stream which) const { return {seed, which}; }
};

/// Below this length, the published generator repeats words less often.
constexpr int kLongContext = 4096;

constexpr int kNeedleAnswer = 128;
constexpr int kChainAnswer = 30;
constexpr int kCommonAnswer = 120;
constexpr int kFrequentAnswer = 50;
constexpr int kReadingAnswer = 32;

/// Returns `count` distinct numbers below `below` in ascending order. @pre count <= below
std::vector<std::size_t> risingSample(std::size_t below, std::size_t count, RandomStream& random) {
    std::set<std::size_t> chosen;
    // Floyd's algorithm: one draw per number, no rejections.
    for (std::size_t last = below - count; last < below; ++last) {
        const auto drawn = static_cast<std::size_t>(random.below(last + 1));
        chosen.insert(chosen.contains(drawn) ? last : drawn);
    }
    return {chosen.begin(), chosen.end()};
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string out;
    for (const std::string& part : parts) {
        if (!out.empty()) out += between;
        out += part;
    }
    return out;
}

std::string letters(std::size_t count, char first, RandomStream& random) {
    std::string out;
    while (out.size() < count)
        out += static_cast<char>(first + static_cast<char>(random.below(26)));
    return out;
}

// Needles in a haystack.

enum class Haystack { Noise, Essay, Needles };
enum class Spelled { Words, Numbers, Uuids };

struct NeedleTask {
    Haystack haystack = Haystack::Essay;
    Spelled keys = Spelled::Words;
    Spelled values = Spelled::Numbers;
    int keyCount = 1;
    int valuesPerKey = 1;
    int asked = 1;
};

std::string uuid(RandomStream& random) {
    constexpr std::uint64_t kVersion = 0x4;  // RFC 4122: version 4, random
    const std::uint64_t high = (random.bits() & ~std::uint64_t{0xF000}) | kVersion << 12U;
    const std::uint64_t low = (random.bits() & ~(std::uint64_t{3} << 62U)) | std::uint64_t{2}
                                                                                 << 62U;
    return format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xFFFFU,
                  high & 0xFFFFU, low >> 48U, low & 0xFFFF'FFFF'FFFFU);
}

std::string drawn(Spelled as, RandomStream& random) {
    switch (as) {
        case Spelled::Words:
            return format("{}-{}", oneAtRandom(rulerAdjectives(), random),
                          oneAtRandom(rulerNouns(), random));
        case Spelled::Numbers:
            return format("{}", 1'000'000 + random.below(9'000'000));
        case Spelled::Uuids:
            return uuid(random);
    }
    return {};
}

/// Returns a text that was not drawn before.
std::string drawnNew(Spelled as, RandomStream& random, std::set<std::string>& taken) {
    while (true) {
        std::string made = drawn(as, random);
        if (taken.insert(made).second) return made;
    }
}

std::string needle(Spelled values, std::string_view key, std::string_view value) {
    return format("One of the special magic {} for {} is: {}.",
                  values == Spelled::Uuids ? "uuids" : "numbers", key, value);
}

constexpr std::string_view kNoise =
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";

/// Places needles between sentences, at depths of 0 to 100 % in 40 steps.
std::string inEssay(const Making& making, std::size_t words,
                    const std::vector<std::string>& needles) {
    constexpr std::size_t kDepths = 40;
    RandomStream around = making.stream(kAroundStream);
    RandomStream places = making.stream(kPlacesStream);
    const std::size_t first = around.below(std::max<std::size_t>(making.text.sentenceCount(), 1));
    const std::vector<std::string> sentences = making.text.sentences(first, words);
    std::vector<std::string> parts;
    std::size_t written = 0;
    const auto writeUpTo = [&](std::size_t end) {
        for (; written < end; ++written) parts.push_back(sentences[written]);
    };
    const std::vector<std::size_t> depths = risingSample(kDepths, needles.size(), places);
    for (std::size_t i = 0; i < needles.size(); ++i) {
        const double percent = std::round(100.0 * static_cast<double>(depths[i]) / (kDepths - 1));
        writeUpTo(static_cast<std::size_t>(static_cast<double>(sentences.size()) * percent / 100));
        parts.push_back(needles[i]);
    }
    writeUpTo(sentences.size());
    return joined(parts, " ");
}

/// Places needles between lines that are all the same, or needles themselves.
std::string betweenLines(const Making& making, const NeedleTask& task, std::size_t lines,
                         const std::vector<std::string>& needles, std::set<std::string> taken) {
    RandomStream around = making.stream(kAroundStream);
    RandomStream places = making.stream(kPlacesStream);
    const std::vector<std::size_t> at = risingSample(lines, needles.size(), places);
    std::vector<std::string> all;
    for (std::size_t line = 0, next = 0; line < lines; ++line) {
        if (next < at.size() && at[next] == line) all.push_back(needles[next++]);
        if (task.haystack == Haystack::Noise) {
            all.emplace_back(kNoise);
        } else {
            const std::string key = drawnNew(task.keys, around, taken);
            all.push_back(needle(task.values, key, drawnNew(task.values, around, taken)));
        }
    }
    return joined(all, "\n");
}

std::string listed(const std::vector<std::string>& keys) {
    std::string out = keys.front();
    for (std::size_t i = 1; i < keys.size(); ++i)
        out += (i + 1 == keys.size() ? ", and " : ", ") + keys[i];
    return out;
}

RulerQuestion needleQuestion(const Making& making, const NeedleTask& task, int size) {
    RandomStream asked = making.stream(kAskedStream);
    std::set<std::string> taken;
    std::vector<std::string> needles;
    std::vector<std::string> keys;
    RulerQuestion made;
    const auto keyCount = std::max(task.keyCount, task.asked);
    for (int k = 0; k < keyCount; ++k) {
        const std::string key = drawnNew(task.keys, asked, taken);
        for (int v = 0; v < task.valuesPerKey; ++v) {
            const std::string value = drawnNew(task.values, asked, taken);
            needles.push_back(needle(task.values, key, value));
            if (k < task.asked) made.answers.push_back(value);
        }
        if (k < task.asked) keys.push_back(key);
    }
    shuffleAtRandom(needles, asked);
    const std::string context =
        task.haystack == Haystack::Essay
            ? inEssay(making, static_cast<std::size_t>(size), needles)
            : betweenLines(making, task, static_cast<std::size_t>(size), needles, taken);
    const bool one = made.answers.size() == 1;
    const std::string what =
        std::string(task.values == Spelled::Uuids ? "uuid" : "number") + (one ? "" : "s");
    const std::string query = listed(keys);
    made.context = format(
        "{} special magic {} {} hidden within the following text. Make sure to memorize it. I will "
        "quiz you about the {} afterwards.\n{}\n",
        one ? "A" : "Some", what, one ? "is" : "are", what, context);
    made.question = format("What {} the special magic {} for {} mentioned in the provided text?",
                           one ? "is" : "are all", what, query);
    made.answerPrefix = format("The special magic {} for {} mentioned in the provided text {}",
                               what, query, one ? "is" : "are");
    made.answerTokens = kNeedleAnswer;
    return made;
}

// Variable tracking.

constexpr std::size_t kHops = 4;
constexpr int kExampleTokens = 500;  // room for the worked example before the text

struct Chain {
    std::vector<std::string> variables;
    std::string value;
};

Chain drawnChain(std::size_t nameLength, RandomStream& random) {
    Chain made;
    std::set<std::string> taken;
    while (made.variables.size() <= kHops) {
        std::string name = letters(nameLength, 'A', random);
        if (taken.insert(name).second) made.variables.push_back(std::move(name));
    }
    made.value = format("{}", 10'000 + random.below(90'000));
    return made;
}

/// Returns the lines of a chain mixed with filler, the question, and the beginning of the answer.
RulerQuestion chainQuestion(const Chain& chain, std::size_t lines, RandomStream& places) {
    const std::vector<std::size_t> at = risingSample(lines, chain.variables.size(), places);
    std::vector<std::string> all;
    for (std::size_t line = 0, next = 0; line < lines; ++line) {
        if (next < at.size() && at[next] == line) {
            const std::string& name = chain.variables[next];
            all.push_back(next == 0 ? format("VAR {} = {}", name, chain.value)
                                    : format("VAR {} = VAR {} ", name, chain.variables[next - 1]));
            ++next;
        }
        all.emplace_back(kNoise);
    }
    RulerQuestion made;
    made.context = format(
        "Memorize and track the chain(s) of variable assignment hidden in the following "
        "text.\n\n{}\n",
        joined(all, "\n"));
    made.question =
        format("Question: Find all variables that are assigned the value {} in the text above.",
               chain.value);
    made.answerPrefix = format(
        "Answer: According to the chain(s) of variable assignment in the text above, {} variables "
        "are assigned the value {}, they are: ",
        chain.variables.size(), chain.value);
    made.answers = chain.variables;
    made.answerTokens = kChainAnswer;
    return made;
}

// Common words and frequent words.

struct CommonWords {
    int words, common, uncommon;  // total words; occurrences of each common and each uncommon word
};
constexpr std::size_t kCommonCount = 10;

/// Returns words of the vocabulary, then generated ones when it is exhausted.
std::vector<std::string> drawnWords(const Making& making, std::size_t count, RandomStream& random) {
    std::vector<std::string> words = making.text.vocabulary();
    shuffleAtRandom(words, random);
    while (words.size() < count) words.push_back(letters(7, 'a', random));
    words.resize(count);
    return words;
}

/// Returns a numbered list with its question; the first ten of `words` are the common ones.
RulerQuestion listQuestion(const std::vector<std::string>& words, const CommonWords& counts,
                           RandomStream& random) {
    RulerQuestion made;
    made.answers.assign(words.begin(), words.begin() + kCommonCount);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < words.size(); ++i)
        all.insert(all.end(),
                   static_cast<std::size_t>(i < kCommonCount ? counts.common : counts.uncommon),
                   words[i]);
    shuffleAtRandom(all, random);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].insert(0, format("{}. ", i + 1));
    made.context = format(
        "Below is a numbered list of words. In these words, some appear more often than others. "
        "Memorize the ones that appear most often.\n{}\n",
        joined(all, " "));
    made.question = "Question: What are the 10 most common words in the above list?";
    made.answerPrefix = "Answer: The top 10 words that appear most often in the list are:";
    made.answerTokens = kCommonAnswer;
    return made;
}

RulerQuestion commonQuestion(const Making& making, int size) {
    const bool brief = making.length < kLongContext;
    const CommonWords example = brief ? CommonWords{20, 3, 1} : CommonWords{40, 10, 3};
    const CommonWords asked = brief ? CommonWords{size, 6, 1} : CommonWords{size, 30, 3};
    RandomStream random = making.stream(kAskedStream);
    RandomStream order = making.stream(kPlacesStream);
    const auto shown = listQuestion(
        drawnWords(making, static_cast<std::size_t>(example.words), random), example, order);
    RandomStream words = making.stream(kAroundStream);
    RulerQuestion made = listQuestion(
        drawnWords(making, static_cast<std::size_t>(asked.words), words), asked, order);
    std::string answer;
    for (std::size_t i = 0; i < shown.answers.size(); ++i)
        answer += format(" {}. {}", i + 1, shown.answers[i]);
    made.context.insert(
        0, format("{}{} {}{}\n", shown.context, shown.question, shown.answerPrefix, answer));
    return made;
}

constexpr double kZeta2 = 1.6449340668482264;  // sum over k of k^-2
constexpr std::size_t kAskedFrequent = 3;

/// Returns generated words; the frequency of rank k follows Zipf's law with exponent 2, and rank 1
/// is dots.
RulerQuestion frequentQuestion(const Making& making, int size) {
    const auto vocabulary = static_cast<std::size_t>((making.length - kFrequentAnswer) / 50);
    RandomStream random = making.stream(kAskedStream);
    std::set<std::string> taken;
    std::vector<std::string> words{"..."};
    while (words.size() < std::max(vocabulary, kAskedFrequent + 2)) {
        std::string word = letters(6, 'a', random);
        if (taken.insert(word).second) words.push_back(std::move(word));
    }
    std::vector<std::string> all;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const double rank = static_cast<double>(k) + 1;
        all.insert(all.end(), static_cast<std::size_t>(size / (rank * rank) / kZeta2), words[k]);
    }
    RandomStream places = making.stream(kPlacesStream);
    shuffleAtRandom(all, places);
    RulerQuestion made;
    made.context = format(
        "Read the following coded text and track the frequency of each coded word. Find the three "
        "most frequently appeared coded words. {}\n",
        joined(all, " "));
    made.question =
        "Question: Do not provide any explanation. Please ignore the dots '....'. What are the "
        "three most frequently appeared words in the above coded text?";
    made.answerPrefix =
        "Answer: According to the coded text above, the three most frequently appeared words are:";
    made.answers.assign(words.begin() + 1, words.begin() + 1 + kAskedFrequent);
    made.answerTokens = kFrequentAnswer;
    return made;
}

// Reading tasks.

RulerQuestion readingQuestion(const Making& making, PassageHops hops, int size) {
    const PassageQuestion asked =
        makePassageQuestion(hops, static_cast<std::size_t>(size), making.seed);
    const std::vector<std::string>& paragraphs = making.text.paragraphs();
    RandomStream around = making.stream(kAroundStream);
    std::vector<std::string> documents;
    for (std::size_t i = 0; i < asked.passages.size(); ++i) {
        const Passage& one = asked.passages[i];
        // With one hop, every second distractor is a paragraph of a book.
        if (hops == PassageHops::Two)
            documents.push_back(one.title + "\n" + one.text);
        else if (i % 2 == 1 && !paragraphs.empty())
            documents.push_back(paragraphs[around.below(paragraphs.size())]);
        else
            documents.push_back(one.text);
    }
    RandomStream places = making.stream(kPlacesStream);
    shuffleAtRandom(documents, places);
    for (std::size_t i = 0; i < documents.size(); ++i)
        documents[i].insert(0, format("Document {}:\n", i + 1));
    constexpr std::string_view kOrder =
        "Answer the question based on the given documents. Only give me the answer and do not "
        "output any other words.";
    RulerQuestion made;
    made.context = format("{}\n\nThe following are given documents.\n\n{}\n\n", kOrder,
                          joined(documents, "\n\n"));
    made.question = format("{}\n\nQuestion: {}", kOrder, asked.question);
    made.answerPrefix = "Answer:";
    made.answers = {asked.answer};
    made.metric = RulerMetric::Any;
    made.answerTokens = kReadingAnswer;
    return made;
}

// Search for the largest size that fits.

using MakeOfSize = std::function<RulerQuestion(int size)>;

Result<std::optional<RulerQuestion>> ifItFits(const Making& making, const MakeOfSize& make,
                                              int size) {
    RulerQuestion made = make(size);
    made.size = size;
    LACUNA_TRY(const std::int64_t tokens, making.tokens(made));
    if (tokens + made.answerTokens > making.length) return std::optional<RulerQuestion>();
    return std::optional<RulerQuestion>(std::move(made));
}

/// Doubles the size until it no longer fits, then bisects. Returns nullopt if `least` does not fit.
Result<std::optional<RulerQuestion>> largestThatFits(const Making& making, const MakeOfSize& make,
                                                     int least) {
    std::optional<RulerQuestion> best;
    int tooLarge = 0;
    // A word has at least one token, except in unusual vocabularies.
    for (int size = least; size <= 2 * making.length; size *= 2) {
        LACUNA_TRY(auto made, ifItFits(making, make, size));
        if (!made) {
            tooLarge = size;
            break;
        }
        best = std::move(made);
    }
    if (!best || tooLarge == 0) return best;
    for (int low = best->size, high = tooLarge; high - low > 1;) {
        const int middle = std::midpoint(low, high);
        LACUNA_TRY(auto made, ifItFits(making, make, middle));
        if (made) {
            low = middle;
            best = std::move(made);
        } else {
            high = middle;
        }
    }
    return best;
}

/// Returns a generator of lines that contain a chain of names with `nameLength` letters, the same
/// chain for every size.
MakeOfSize chainsOf(RandomStream random, std::size_t nameLength) {
    Chain chain = drawnChain(nameLength, random);
    return [chain = std::move(chain), random](int size) {
        RandomStream places = random;
        return chainQuestion(chain, static_cast<std::size_t>(size), places);
    };
}

/// Returns a worked example with three-letter names followed by the question with five-letter
/// names.
Result<std::optional<RulerQuestion>> trackedQuestion(const Making& making, int least) {
    const RulerTokens exampleTokens = [&](const RulerQuestion& shown) -> Result<std::int64_t> {
        LACUNA_TRY(const std::int64_t tokens, making.tokens(shown));
        return tokens - shown.answerTokens;  // the example has no room for an answer
    };
    const Making within{.text = making.text,
                        .tokens = exampleTokens,
                        .length = kExampleTokens,
                        .seed = making.seed};
    const MakeOfSize examples = chainsOf(making.stream(kAroundStream), 3);
    LACUNA_TRY(auto shown, largestThatFits(within, examples, least));
    // With byte-level tokens, even the smallest example exceeds the room.
    if (!shown) shown = examples(least);
    const std::string example = format("{}{} {} {}\n\n", shown->context, shown->question,
                                       shown->answerPrefix, joined(shown->answers, " "));
    const MakeOfSize asked = chainsOf(making.stream(kAskedStream), 5);
    return largestThatFits(
        making,
        [&](int size) {
            RulerQuestion made = asked(size);
            made.context.insert(0, example);
            return made;
        },
        least);
}

struct RulerTask {
    std::string_view name;
    int least;  ///< size of the smallest haystack
    std::optional<NeedleTask> needles = std::nullopt;
};

constexpr int kLeastWords = 50;
constexpr int kLeastLines = 5;

const std::array<RulerTask, 13>& tasks() {
    using enum Haystack;
    using enum Spelled;
    static const std::array<RulerTask, 13> all{{
        {"niah_single_1", kLeastLines, NeedleTask{.haystack = Noise}},
        {"niah_single_2", kLeastWords, NeedleTask{}},
        {"niah_single_3", kLeastWords, NeedleTask{.values = Uuids}},
        {"niah_multikey_1", kLeastWords, NeedleTask{.keyCount = 4}},
        {"niah_multikey_2", kLeastLines, NeedleTask{.haystack = Needles}},
        {"niah_multikey_3", kLeastLines,
         NeedleTask{.haystack = Needles, .keys = Uuids, .values = Uuids}},
        {"niah_multivalue", kLeastWords, NeedleTask{.valuesPerKey = 4}},
        {"niah_multiquery", kLeastWords, NeedleTask{.asked = 4}},
        {"vt", kLeastLines},
        {"cwe", 20},
        {"fwe", 60},
        {"qa_1", 2},
        {"qa_2", 3},
    }};
    return all;
}

Result<std::optional<RulerQuestion>> largestOf(const RulerTask& task, const Making& making) {
    if (task.needles)
        return largestThatFits(
            making, [&](int size) { return needleQuestion(making, *task.needles, size); },
            task.least);
    if (task.name == "vt") return trackedQuestion(making, task.least);
    return largestThatFits(
        making,
        [&](int size) {
            if (task.name == "cwe") return commonQuestion(making, size);
            if (task.name == "fwe") return frequentQuestion(making, size);
            return readingQuestion(making,
                                   task.name == "qa_1" ? PassageHops::One : PassageHops::Two, size);
        },
        task.least);
}

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

}  // namespace

std::span<const std::string_view> rulerTaskNames() {
    static const auto names = [] {
        std::array<std::string_view, 13> out;
        std::ranges::transform(tasks(), out.begin(), &RulerTask::name);
        return out;
    }();
    return names;
}

Result<RulerQuestion> makeRulerQuestion(const RulerText& text, const RulerRequest& request,
                                        const RulerTokens& tokens) {
    const auto task = std::ranges::find(tasks(), request.task, &RulerTask::name);
    if (task == tasks().end()) {
        std::string names;
        for (const RulerTask& one : tasks())
            names += format("{}{}", names.empty() ? "" : ", ", one.name);
        return fail(ErrorCode::InvalidArgument,
                    format("RULER has no task {}; its tasks are {}", request.task, names));
    }
    const Making making{
        .text = text, .tokens = tokens, .length = request.length, .seed = request.seed};
    LACUNA_TRY(auto made, largestOf(*task, making));
    if (!made)
        return fail(ErrorCode::Range,
                    format("{} does not fit {} tokens with this model; use a larger --length",
                           request.task, request.length));
    made->task = request.task;
    return std::move(*made);
}

double rulerScore(std::string_view output, const RulerQuestion& question) {
    if (question.answers.empty()) return 0;
    const std::string said = lowered(output);
    std::size_t found = 0;
    for (const std::string& answer : question.answers)
        if (said.find(lowered(answer)) != std::string::npos) ++found;
    if (question.metric == RulerMetric::Any) return found > 0 ? 1 : 0;
    return static_cast<double>(found) / static_cast<double>(question.answers.size());
}

}  // namespace lacuna
