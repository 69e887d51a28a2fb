#pragma once
/// \file
/// Lists of words that RULER's tasks are made of (ruler_tasks.h), and the running text around
/// them. Immutable.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/random.h"

namespace lacuna {

[[nodiscard]] std::span<const std::string_view> rulerAdjectives();
[[nodiscard]] std::span<const std::string_view> rulerNouns();
[[nodiscard]] std::span<const std::string_view> rulerVerbs();

template <class List>
[[nodiscard]] auto oneAtRandom(const List& list, RandomStream& random) {
    return list[random.below(list.size())];
}

/// Fisher and Yates.
template <class T>
void shuffleAtRandom(std::vector<T>& list, RandomStream& random) {
    for (std::size_t left = list.size(); left > 1; --left)
        std::swap(list[left - 1], list[random.below(left)]);
}

/// Running text as the tasks use it.
class RulerText {
  public:
    explicit RulerText(std::string_view text);

    /// So many words from a sentence on, as sentences; the text begins again where it ends. Empty
    /// for a text without words. `first` counts sentences, and wraps.
    [[nodiscard]] std::vector<std::string> sentences(std::size_t first, std::size_t words) const;
    [[nodiscard]] std::size_t sentenceCount() const { return starts_.size(); }
    /// Paragraphs of some length, each on one line.
    [[nodiscard]] const std::vector<std::string>& paragraphs() const { return paragraphs_; }
    /// Plain words in lower case, each once, in the order of the alphabet: those of the lists and
    /// those of the text that have 4 to 12 letters.
    [[nodiscard]] const std::vector<std::string>& vocabulary() const { return vocabulary_; }

  private:
    std::vector<std::string> words_;   ///< white space taken out
    std::vector<std::size_t> starts_;  ///< of sentences, as indices of words
    std::vector<std::string> paragraphs_;
    std::vector<std::string> vocabulary_;
};

}  // namespace lacuna
