#include "app/bench/ruler_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 112> kAdjectives{
    "able",   "ancient", "autumn",   "awake",   "bitter",   "blank",  "bold",    "bright",
    "brisk",  "broad",   "calm",     "careful", "cheerful", "clever", "cloudy",  "cold",
    "common", "coral",   "crisp",    "curious", "dark",     "deep",   "distant", "dusty",
    "eager",  "early",   "elder",    "empty",   "faint",    "fair",   "famous",  "fancy",
    "fierce", "final",   "firm",     "flat",    "fluent",   "frosty", "gentle",  "giant",
    "golden", "grand",   "grateful", "heavy",   "hidden",   "hollow", "honest",  "humble",
    "icy",    "idle",    "inner",    "jolly",   "keen",     "kind",   "large",   "lazy",
    "lively", "local",   "lonely",   "lucky",   "mellow",   "mild",   "misty",   "modest",
    "narrow", "neat",    "nimble",   "noisy",   "northern", "odd",    "old",     "open",
    "orange", "pale",    "patient",  "plain",   "polite",   "proud",  "purple",  "quick",
    "quiet",  "rapid",   "rare",     "ready",   "rough",    "round",  "royal",   "rural",
    "secret", "serious", "shallow",  "sharp",   "shiny",    "silent", "silver",  "simple",
    "sleepy", "slow",    "smooth",   "solid",   "steady",   "stormy", "sturdy",  "sudden",
    "tender", "tidy",    "tiny",     "upper",   "velvet",   "warm",   "western", "wooden"};

constexpr std::array<std::string_view, 160> kNouns{
    "acorn",    "anchor",   "apron",   "arrow",   "attic",   "badge",    "balcony", "barley",
    "barrel",   "basket",   "beacon",  "bell",    "bench",   "blanket",  "bottle",  "branch",
    "brick",    "bridge",   "brush",   "bucket",  "button",  "cabin",    "candle",  "canoe",
    "canvas",   "carpet",   "castle",  "cedar",   "cellar",  "chapel",   "chimney", "circle",
    "cliff",    "clock",    "cloth",   "clover",  "coast",   "column",   "compass", "copper",
    "cottage",  "cradle",   "crayon",  "creek",   "cricket", "crown",    "cushion", "dagger",
    "desert",   "diary",    "dolphin", "door",    "dragon",  "drum",     "engine",  "falcon",
    "farm",     "feather",  "fence",   "ferry",   "fiddle",  "field",    "flute",   "forest",
    "fountain", "garden",   "gate",    "glacier", "glove",   "goblet",   "granite", "hammer",
    "harbor",   "harvest",  "hatchet", "helmet",  "hill",    "honey",    "horizon", "island",
    "ivory",    "jacket",   "jewel",   "journal", "kettle",  "kitchen",  "kite",    "ladder",
    "lagoon",   "lantern",  "leather", "lemon",   "library", "lily",     "linen",   "lizard",
    "lobster",  "magnet",   "mantle",  "maple",   "marble",  "market",   "meadow",  "mirror",
    "mitten",   "mountain", "museum",  "needle",  "nest",    "notebook", "oak",     "oasis",
    "ocean",    "orchard",  "otter",   "oven",    "paddle",  "palace",   "parcel",  "pebble",
    "pencil",   "pepper",   "piano",   "pillow",  "planet",  "pocket",   "pond",    "prairie",
    "puzzle",   "quarry",   "quilt",   "rabbit",  "raft",    "ribbon",   "river",   "robin",
    "rocket",   "saddle",   "sailor",  "salmon",  "satchel", "scarf",    "shelter", "signal",
    "sparrow",  "spoon",    "stable",  "station", "sugar",   "table",    "temple",  "thimble",
    "thunder",  "timber",   "tunnel",  "valley",  "village", "violin",   "wagon",   "willow"};

constexpr std::array<std::string_view, 64> kVerbs{
    "admire",  "answer", "arrange", "arrive", "borrow", "bounce",  "breathe", "bring",
    "build",   "carry",  "chase",   "choose", "clap",   "climb",   "collect", "cook",
    "copy",    "dance",  "deliver", "divide", "dream",  "drift",   "earn",    "enjoy",
    "explain", "fasten", "fetch",   "follow", "forget", "gather",  "greet",   "guess",
    "happen",  "hurry",  "invite",  "juggle", "knock",  "laugh",   "learn",   "listen",
    "measure", "mend",   "notice",  "obey",   "offer",  "paint",   "plant",   "polish",
    "prefer",  "push",   "remind",  "repair", "rescue", "scatter", "search",  "shout",
    "sing",    "sketch", "travel",  "trust",  "unlock", "visit",   "wander",  "whisper"};

constexpr std::size_t kLeastParagraph = 200;  // bytes; shorter paragraphs are dialogue
constexpr std::size_t kMostParagraph = 900;

bool isSpace(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Joins the lines of a paragraph with single spaces.
std::string onOneLine(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (!isSpace(c))
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    if (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

/// True for a full stop, question mark or exclamation mark, possibly followed by a closing
/// quotation mark; false for titles and initials.
bool endsSentence(std::string_view word) {
    while (!word.empty() && (word.back() == '"' || word.back() == '\'' || word.back() == ')'))
        word.remove_suffix(1);
    if (word.empty()) return false;
    if (word.back() == '?' || word.back() == '!') return true;
    constexpr std::array<std::string_view, 6> kTitles{"Mr.", "Mrs.",    "Dr.",
                                                      "St.", "Messrs.", "No."};
    const bool initial = word.size() == 2 && isLetter(word[0]);
    return word.back() == '.' && !initial && std::ranges::find(kTitles, word) == kTitles.end();
}

/// Returns the words of letters only that begin in lower case; one punctuation mark may follow.
std::set<std::string> plainWords(const std::vector<std::string>& words) {
    constexpr std::size_t kLeast = 4;
    constexpr std::size_t kMost = 12;
    std::set<std::string> out;
    for (std::string_view word : words) {
        while (!word.empty() && std::string_view(".,;:?!").find(word.back()) != word.npos)
            word.remove_suffix(1);
        if (word.size() < kLeast || word.size() > kMost) continue;
        if (std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; }))
            out.emplace(word);
    }
    return out;
}

}  // namespace

std::span<const std::string_view> rulerAdjectives() {
    return kAdjectives;
}
std::span<const std::string_view> rulerNouns() {
    return kNouns;
}
std::span<const std::string_view> rulerVerbs() {
    return kVerbs;
}

RulerText::RulerText(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        const std::string line = onOneLine(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 2));
        if (line.size() >= kLeastParagraph && line.size() <= kMostParagraph)
            paragraphs_.push_back(line);
        bool begins = true;
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t space = std::min(line.find(' ', at), line.size());
            if (begins) starts_.push_back(words_.size());
            words_.push_back(line.substr(at, space - at));
            begins = endsSentence(words_.back());
            at = space + 1;
        }
    }
    std::set<std::string> plain = plainWords(words_);
    for (const auto list : {rulerAdjectives(), rulerNouns(), rulerVerbs()})
        plain.insert(list.begin(), list.end());
    vocabulary_.assign(plain.begin(), plain.end());
}

std::vector<std::string> RulerText::sentences(std::size_t first, std::size_t words) const {
    std::vector<std::string> out;
    if (starts_.empty()) return out;
    std::size_t sentence = first % starts_.size();
    for (std::size_t at = starts_[sentence]; words > 0; --words) {
        const bool begins = sentence < starts_.size() && at == starts_[sentence];
        if (begins || out.empty()) {
            out.emplace_back();
            ++sentence;
        }
        std::string& last = out.back();
        if (!last.empty()) last += ' ';
        last += words_[at];
        if (++at == words_.size()) at = sentence = 0;
    }
    return out;
}

}  // namespace lacuna
