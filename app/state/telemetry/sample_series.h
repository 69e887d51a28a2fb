#pragma once
/// \file
/// An append-only time series of one quantity with a min-max pyramid, so that any range can be
/// drawn with a few points per pixel without reading all samples or losing spikes. Blocks never
/// move: appending costs amortised O(1) and copies nothing. About 21.2 bytes per sample. Owned by
/// one thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lacuna::app {

/// The horizontal axis. Both coordinates are monotonic.
enum class XAxis { Time, Tokens };

struct SeriesPoint {
    std::int64_t timeNs = 0;
    std::uint32_t tokens = 0;  ///< tokens processed since the store was created
    double value = 0;

    /// Coordinate on the axis: nanoseconds or tokens.
    [[nodiscard]] double at(XAxis axis) const {
        return axis == XAxis::Time ? static_cast<double>(timeNs) : static_cast<double>(tokens);
    }
};

/// A closed range of the axis, divided into `pixels` columns.
struct SeriesWindow {
    XAxis axis = XAxis::Time;
    double from = 0, to = 0;
    int pixels = 0;
    std::optional<double> until = {};  ///< later samples are omitted; the columns are unaffected
};

/// A vector of fixed-size blocks; references stay valid while it grows.
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
    /// Children per pyramid node.
    static constexpr std::size_t kFanOut = 8;

    /// Appends a sample. Decreasing times or token counts are raised to the previous ones, and
    /// non-finite values are ignored. At most 2^32 - 1 samples.
    void append(SeriesPoint point);
    /// Like append, but keeps only the first and last sample of a run of equal values, so that
    /// constants need no memory.
    void appendRun(SeriesPoint point);
    void clear();

    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    [[nodiscard]] SeriesPoint at(std::size_t index) const;
    [[nodiscard]] std::optional<SeriesPoint> last() const;
    /// Returns the latest sample at or before `x`.
    [[nodiscard]] std::optional<SeriesPoint> lastBefore(XAxis axis, double x) const;
    /// Returns the index of the first sample at or after `x`.
    [[nodiscard]] std::size_t lowerBound(XAxis axis, double x) const;

    struct Answer {
        std::vector<SeriesPoint> points;  ///< ascending; at most two per column and two more at
                                          ///< each end
        std::size_t touched = 0;          ///< number of samples and pyramid nodes read
    };
    /// Returns at most two points per pixel column, the minimum and the maximum in time order. The
    /// first and last sample of the window and the neighbours outside are included, so that lines
    /// extend to the edges. Costs O(columns x fan-out) nodes for even spacing, and at worst that
    /// times the number of levels.
    [[nodiscard]] Answer query(const SeriesWindow& window) const;

    struct Extremes {
        double least = 0, greatest = 0;
    };
    /// Minimum and maximum of the samples in the window; nullopt if there are none.
    [[nodiscard]] std::optional<Extremes> extremes(XAxis axis, double from, double to) const;

    /// Memory used in bytes, including partly filled blocks.
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Node {                               ///< covers 8^(level + 1) samples
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
