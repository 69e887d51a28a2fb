#pragma once
/// \file
/// The words of a settings change that its machine, its controller and the panel share. No Qt.

namespace lacuna::app {

/// Life of a change (Draft .. RolledBack); Settled: requested and effective agree.
enum class ChangeState {
    Settled,
    Draft,
    Submitted,
    Pending,
    Applied,
    Rejected,
    Superseded,
    RolledBack
};
/// Whether more values of the same drag will follow.
enum class EditPace { Moving, Settled };
/// Whether edits are sent by themselves.
enum class SendPolicy { AfterRest, WhenTold };

inline constexpr int kRestMs = 250;    ///< rest after which a moving edit is sent
inline constexpr int kPendingMs = 60;  ///< unanswered this long: shown as pending
inline constexpr int kFadeMs = 1000;   ///< an applied change is marked this long

}  // namespace lacuna::app
