#pragma once
/// \file
/// Which of the texts that come with the program is for what. What is measured on is never what is
/// calibrated on: figures of a text that a calibration has seen flatter it. Plain data.

namespace lacuna::app {

/// Measured on: around the facts of dialogues, and read by short measurements.
inline constexpr const char* kFactsText = "our_mutual_friend.txt";
/// Measured on: the story of tables and presets, and RULER's haystack.
inline constexpr const char* kStoryText = "the_naval_treaty.txt";
/// Only for calibrations: rotations, layers, transforms, surrogates and questions to heads.
inline constexpr const char* kCalibrationText = "alice_in_wonderland.txt";

}  // namespace lacuna::app
