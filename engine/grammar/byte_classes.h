#pragma once
/// \file
/// Equivalence classes of bytes under a grammar. Fine classes: no state distinguishes bytes of a
/// class. Broad classes: the only states that do are those that distinguish letters of the same
/// case, such as states within a fixed word. Thousands of tokens have the same broad classes inside
/// a string, so the trie of 32,000 tokens has 2,000 nodes instead of 40,000. Plain data and their
/// builder.

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace lacuna {

struct ByteEdge {
    std::uint8_t first = 0;
    std::uint8_t last = 0;
    std::uint32_t target = 0;
};

struct ByteClasses {
    std::uint16_t count = 1;
    std::array<std::uint16_t, 256> of{};              ///< class of each byte, [0, count)
    std::array<std::uint8_t, 256> representatives{};  ///< [count] a representative byte of each
                                                      ///< class
};

/// Collects how the states of a grammar partition the bytes. States with the same partition have
/// the same shape, regardless of their targets.
class ByteShapes {
  public:
    /// Returns the index of the shape of a state with these edges.
    [[nodiscard]] std::uint32_t add(std::span<const ByteEdge> edges);
    /// Number of distinct shapes.
    [[nodiscard]] std::size_t count() const { return shapes_.size(); }
    [[nodiscard]] ByteClasses fine() const;
    [[nodiscard]] ByteClasses broad() const;
    /// Returns, for each shape [shapes], the classes in which it distinguishes bytes.
    [[nodiscard]] std::vector<std::bitset<256>> splitClasses(const ByteClasses& classes) const;

  private:
    /// Bytes with the same label have the same targets.
    using Labels = std::array<std::uint16_t, 256>;

    [[nodiscard]] static Labels labelsOf(std::span<const ByteEdge> edges);
    [[nodiscard]] static bool separatesLetters(const Labels& labels);
    static void refine(ByteClasses& classes, const Labels& labels);

    std::map<std::vector<std::uint64_t>, std::uint32_t> numbers_;  ///< keyed by edges, with targets
                                                                   ///< numbered in order of
                                                                   ///< appearance
    std::vector<Labels> shapes_;
};

}  // namespace lacuna
