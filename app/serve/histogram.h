#pragma once
/// \file
/// Histogram in the layout of Prometheus: counts per upper bound. Owned by one thread.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lacuna::app {

class Histogram {
  public:
    /// `bounds` must be ascending and outlive this object. Values above the last bound go into an
    /// open bucket.
    explicit Histogram(std::span<const double> bounds)
        : m_bounds(bounds), m_counts(bounds.size() + 1) {}
    void add(double value);
    [[nodiscard]] std::span<const double> bounds() const { return m_bounds; }
    /// Counts per bucket, not cumulative; the open bucket is last.
    [[nodiscard]] const std::vector<std::int64_t>& counts() const { return m_counts; }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] double sum() const { return m_sum; }
    /// Returns the upper bound of the bucket that contains the quantile `share` (0..1); nullopt if
    /// there are no values or it falls into the open bucket.
    [[nodiscard]] std::optional<double> boundOf(double share) const;

  private:
    std::span<const double> m_bounds;
    std::vector<std::int64_t> m_counts;
    std::int64_t m_count = 0;
    double m_sum = 0;
};

}  // namespace lacuna::app
