#pragma once
/// \file
/// The purpose of each bundled text. Texts for measurements are never used for calibration, because
/// a calibration improves the figures of a text it has seen. Plain data.

namespace lacuna::app {

/// For measurements: surrounds the facts of dialogues, and is read by short measurements.
inline constexpr const char* kFactsText = "our_mutual_friend.txt";
/// For measurements: the story of tables and presets, and RULER's haystack.
inline constexpr const char* kProseText = "the_naval_treaty.txt";
/// For calibration only: rotations, layers, transforms, surrogates and questions to heads.
inline constexpr const char* kCalibrationText = "alice_in_wonderland.txt";

}  // namespace lacuna::app
