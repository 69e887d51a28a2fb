#pragma once
/// \file
/// Samples of steps in a report, read back. Internal to this room. Pure functions.

#include "engine/report/object_reader.h"
#include "engine/report/recorder.h"

namespace lacuna {

/// Member "samples" of a report; what is wrong with it is noted with the reader's problem.
void readSamples(ObjectReader& report, Recording& recording);

}  // namespace lacuna
