#pragma once
/// \file
/// State of the engine, and reasons for the end of a turn. Plain data, shared by the engine,
/// reports and the window.

#include "engine/values/value_keys.h"

namespace lacuna {

enum class EngineState { NoModel, Loading, Idle, Prefill, Decode };
template <>
inline constexpr KeyTable<5, EngineState> kKeys<EngineState>{{{EngineState::NoModel, "no_model"},
                                                              {EngineState::Loading, "loading"},
                                                              {EngineState::Idle, "idle"},
                                                              {EngineState::Prefill, "prefill"},
                                                              {EngineState::Decode, "decode"}}};

enum class FinishReason {
    Stop,         ///< the model's own end token
    StopString,   ///< one of the request's stop strings
    Length,       ///< maximum length of an answer reached
    ContextFull,  ///< no room in the context for one more token
    Cancelled,    ///< cancelled by the user
    Error,
};
template <>
inline constexpr KeyTable<6, FinishReason> kKeys<FinishReason>{
    {{FinishReason::Stop, "stop"},
     {FinishReason::StopString, "stop_string"},
     {FinishReason::Length, "length"},
     {FinishReason::ContextFull, "context_full"},
     {FinishReason::Cancelled, "cancelled"},
     {FinishReason::Error, "error"}}};

}  // namespace lacuna
