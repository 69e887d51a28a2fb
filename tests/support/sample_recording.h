#pragma once
/// \file
/// A fixed recording that fills every part of a report: hostile texts, two generations, a
/// rejection, all compaction outcomes, a turn that continues another, an unfinished one. Pure data.

#include "engine/base/json.h"
#include "engine/report/recorder.h"

namespace lacuna::test {

[[nodiscard]] Recording sampleRecording();
/// Converts a report to its form before version 5: each turn lists all its messages.
void listAllMessages(Json& report);
/// Converts a report to its form before version 7: samples do not split the live bytes into scales
/// and 16-bit rows.
void dropSplit(Json& report);

}  // namespace lacuna::test
