#pragma once
/// \file
/// Counts of values by upper bounds, as Prometheus keeps a distribution. Owned by one thread.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lacuna::app {

class Histogram {
  public:
    /// `bounds` rise, and outlive this; what is above the last one has a bucket of its own.
    explicit Histogram(std::span<const double> bounds)
        : m_bounds(bounds), m_counts(bounds.size() + 1) {}
    void add(double value);
    [[nodiscard]] std::span<const double> bounds() const { return m_bounds; }
    /// In each bucket alone, the open one last.
    [[nodiscard]] const std::vector<std::int64_t>& counts() const { return m_counts; }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] double sum() const { return m_sum; }
    /// Upper bound of the bucket that so much of all values lies within, 0..1; nothing where there
    /// is no value or it lies in the open bucket.
    [[nodiscard]] std::optional<double> boundOf(double share) const;

  private:
    std::span<const double> m_bounds;
    std::vector<std::int64_t> m_counts;
    std::int64_t m_count = 0;
    double m_sum = 0;
};

}  // namespace lacuna::app
