#pragma once
/// \file
/// Word lists for RULER's tasks (ruler_tasks.h), and the prose around them. Immutable.

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

/// Fisher-Yates shuffle.
template <class T>
void shuffleAtRandom(std::vector<T>& list, RandomStream& random) {
    for (std::size_t left = list.size(); left > 1; --left)
        std::swap(list[left - 1], list[random.below(left)]);
}

/// Prose prepared for the tasks.
class RulerText {
  public:
    explicit RulerText(std::string_view text);

    /// Returns whole sentences with `words` words in total, starting at sentence `first` (modulo
    /// the number of sentences) and wrapping at the end of the text. Empty for a text without
    /// words.
    [[nodiscard]] std::vector<std::string> sentences(std::size_t first, std::size_t words) const;
    [[nodiscard]] std::size_t sentenceCount() const { return starts_.size(); }
    /// Paragraphs above a minimum length, each on one line.
    [[nodiscard]] const std::vector<std::string>& paragraphs() const { return paragraphs_; }
    /// Distinct lower-case words in alphabetical order: the word lists and the words of the text
    /// with 4 to 12 letters.
    [[nodiscard]] const std::vector<std::string>& vocabulary() const { return vocabulary_; }

  private:
    std::vector<std::string> words_;   ///< words of the text without white space
    std::vector<std::size_t> starts_;  ///< first words of sentences, as indices into words_
    std::vector<std::string> paragraphs_;
    std::vector<std::string> vocabulary_;
};

}  // namespace lacuna
