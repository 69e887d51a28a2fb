#pragma once
/// \file
/// One measured quantity over time: an append-only series with a pyramid of minima and maxima above
/// it, so that any stretch of it can be drawn in a few points a pixel without reading all samples,
/// and no spike is ever lost. Blocks never move: an append costs O(1) amortised and no copy of what
/// is there. About 21.2 bytes a sample. Owned by one thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lacuna::app {

/// What stands on the horizontal axis. Both grow with every sample and never go back.
enum class XAxis { Time, Tokens };

struct SeriesPoint {
    std::int64_t timeNs = 0;
    std::uint32_t tokens = 0;  ///< processed since the store was made
    double value = 0;

    /// Place on the axis: nanoseconds or tokens.
    [[nodiscard]] double at(XAxis axis) const {
        return axis == XAxis::Time ? static_cast<double>(timeNs) : static_cast<double>(tokens);
    }
};

/// A stretch of the axis, both ends included, cut into `pixels` columns.
struct SeriesWindow {
    XAxis axis = XAxis::Time;
    double from = 0, to = 0;
    int pixels = 0;
    std::optional<double> until = {};  ///< samples after it are left out; the columns stay the same
};

/// Elements in blocks of a fixed size; references stay valid while the vector grows.
template <class T>
class BlockVector {
  public:
    static constexpr std::size_t kBlock = 4096;
    void push(const T& value) {
        if (m_size % kBlock == 0) m_blocks.push_back(std::make_unique<std::array<T, kBlock>>());
        (*m_blocks[m_size / kBlock])[m_size % kBlock] = value;
        ++m_size;
    }
    [[nodiscard]] const T& operator[](std::size_t i) const {
        return (*m_blocks[i / kBlock])[i % kBlock];
    }
    [[nodiscard]] T& operator[](std::size_t i) { return (*m_blocks[i / kBlock])[i % kBlock]; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] std::size_t bytes() const { return m_blocks.size() * kBlock * sizeof(T); }
    void clear() {
        m_blocks.clear();
        m_size = 0;
    }

  private:
    std::vector<std::unique_ptr<std::array<T, kBlock>>> m_blocks;
    std::size_t m_size = 0;
};

class SampleSeries {
  public:
    /// Children of a pyramid node.
    static constexpr std::size_t kFanOut = 8;

    /// Takes a sample. Time or tokens that go back are raised to the last ones (the axis is
    /// monotone); a value that is not finite is not stored. At most 2^32 - 1 samples.
    void append(SeriesPoint point);
    /// As append, but a value that stays the same keeps only the first and the last sample of its
    /// run: the curve is the same and a constant costs nothing.
    void appendRun(SeriesPoint point);
    void clear();

    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    [[nodiscard]] SeriesPoint at(std::size_t index) const;
    [[nodiscard]] std::optional<SeriesPoint> last() const;
    /// The newest sample at or before `x`.
    [[nodiscard]] std::optional<SeriesPoint> lastBefore(XAxis axis, double x) const;
    /// First index whose place on the axis is not before `x`.
    [[nodiscard]] std::size_t lowerBound(XAxis axis, double x) const;

    struct Answer {
        std::vector<SeriesPoint> points;  ///< ascending; at most two a column, and two at either
                                          ///< edge
        std::size_t touched = 0;          ///< samples and pyramid nodes read
    };
    /// The window in at most two points a pixel column: least and greatest value of each, in the
    /// order they happened. The first and last sample of the window and the neighbours outside are
    /// included, so that lines end where the data end. Costs O(columns x fan-out) nodes for even
    /// spacing, times the number of levels at worst.
    [[nodiscard]] Answer query(const SeriesWindow& window) const;

    struct Extremes {
        double least = 0, greatest = 0;
    };
    /// Over the samples inside the window; nothing when there is none.
    [[nodiscard]] std::optional<Extremes> extremes(XAxis axis, double from, double to) const;

    /// Memory held, blocks that are not full included.
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Node {                               ///< of 8^(level + 1) samples
        std::uint32_t least = 0, greatest = 0;  ///< sample indices
    };
    struct Columns;

    void raise(std::uint32_t index);
    void visit(Columns& columns, std::size_t level, std::size_t node) const;
    [[nodiscard]] double placeOf(XAxis axis, std::size_t index) const;
    [[nodiscard]] Extremes extremesOfIndices(std::size_t first, std::size_t end) const;

    BlockVector<std::int64_t> m_times;
    BlockVector<std::uint32_t> m_tokens;
    BlockVector<double> m_values;
    std::vector<BlockVector<Node>> m_levels;
};

}  // namespace lacuna::app
