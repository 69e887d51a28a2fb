#include "app/serve/histogram.h"

#include <algorithm>
#include <cmath>

namespace lacuna::app {

void Histogram::add(double value) {
    const auto bucket = std::ranges::lower_bound(m_bounds, value) - m_bounds.begin();
    ++m_counts[static_cast<std::size_t>(bucket)];
    ++m_count;
    m_sum += value;
}

std::optional<double> Histogram::boundOf(double share) const {
    const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(m_count)));
    std::int64_t below = 0;
    for (std::size_t i = 0; i < m_bounds.size() && m_count > 0; ++i) {
        below += m_counts[i];
        if (below >= wanted) return m_bounds[i];
    }
    return std::nullopt;
}

}  // namespace lacuna::app
