#include "engine/quality/quality_record.h"

#include <cmath>

namespace lacuna {

double QualityRecord::perplexityChange() const {
    return std::expm1(compactedNll - fullNll);
}

double QualityRecord::ratio() const {
    return liveBytes > 0 ? static_cast<double>(logicalBytes) / static_cast<double>(liveBytes) : 0;
}

}  // namespace lacuna
