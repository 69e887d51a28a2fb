#pragma once
/// \file
/// A fixed recording with something in every part of a report: hostile texts, two generations, a
/// rejection, all compaction outcomes, an unfinished turn. Pure data.

#include "engine/report/recorder.h"

namespace lacuna::test {

[[nodiscard]] Recording sampleRecording();

}  // namespace lacuna::test
