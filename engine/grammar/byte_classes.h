#pragma once
/// \file
/// Which bytes a grammar does not tell apart, twice. Fine classes: no state tells their bytes
/// apart. Broad classes: only states that read some letters and not others of the same case do, as
/// those inside a fixed word. Within a string thousands of tokens spell the same broad classes:
/// 32,000 tokens come to 2,000 nodes of a tree instead of 40,000. Plain data and their builder.

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
    std::array<std::uint16_t, 256> of{};   ///< class of each byte, [0, count)
    std::array<std::uint8_t, 256> some{};  ///< [count] a byte of each class
};

/// What the states of a grammar tell apart. States whose edges divide the bytes alike have one
/// shape, whatever the targets are.
class ByteShapes {
  public:
    /// The number of the shape of a state with these edges.
    [[nodiscard]] std::uint32_t add(std::span<const ByteEdge> edges);
    /// Shapes so far.
    [[nodiscard]] std::size_t count() const { return shapes_.size(); }
    [[nodiscard]] ByteClasses fine() const;
    [[nodiscard]] ByteClasses broad() const;
    /// [shapes] classes of which the shape leads some bytes elsewhere than others.
    [[nodiscard]] std::vector<std::bitset<256>> parting(const ByteClasses& classes) const;

  private:
    /// Bytes with the same label go to the same targets.
    using Labels = std::array<std::uint16_t, 256>;

    [[nodiscard]] static Labels labelsOf(std::span<const ByteEdge> edges);
    [[nodiscard]] static bool tellsLettersApart(const Labels& labels);
    static void refine(ByteClasses& classes, const Labels& labels);

    std::map<std::vector<std::uint64_t>, std::uint32_t> numbers_;  ///< by edges, targets in order
    std::vector<Labels> shapes_;
};

}  // namespace lacuna
