#pragma once
/// \file
/// A fixed recording with something in every part of a report: hostile texts, two generations, a
/// rejection, all compaction outcomes, a turn that continues another, an unfinished one. Pure data.

#include "engine/base/json.h"
#include "engine/report/recorder.h"

namespace lacuna::test {

[[nodiscard]] Recording sampleRecording();
/// What a report was before version 5, where it differs: each turn lists all its messages.
void listAllMessages(Json& report);
/// Before version 7 samples did not say what of the live bytes are scales and rows in 16 bits.
void forgetSplit(Json& report);

}  // namespace lacuna::test
