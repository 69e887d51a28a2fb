#pragma once
/// \file
/// Types and delays of settings changes shared by the state machine, the controller and the panel.
/// No Qt.

namespace lacuna::app {

/// Life cycle of a change (Draft .. RolledBack). Settled: requested and effective value agree.
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
/// Moving if more values of the same drag will follow.
enum class EditPace { Moving, Settled };
/// When edits are sent: automatically after a rest, or on request.
enum class SendPolicy { AfterRest, OnSubmit };

inline constexpr int kRestMs = 250;    ///< idle time after which a moving edit is sent
inline constexpr int kPendingMs = 60;  ///< time without a reply after which a change is shown as
                                       ///< pending
inline constexpr int kFadeMs = 1000;   ///< how long an applied change is highlighted

}  // namespace lacuna::app
