#pragma once
/// \file
/// What each weight is for.

namespace lacuna {

enum class TensorRole {
    Embedding,
    Output,
    LogitBias,
    FinalNorm,
    FinalNormBias,
    RopeFactors,
    RopeLongFactors,
    RopeShortFactors,
    AttentionNorm,
    AttentionNormBias,
    Query,
    Key,
    Value,
    QueryKeyValue,  ///< the three above, one below the other
    AttentionOutput,
    QueryBias,
    KeyBias,
    ValueBias,
    OutputBias,
    QueryNorm,
    KeyNorm,
    Sinks,
    PostAttentionNorm,
    FeedForwardNorm,
    FeedForwardNormBias,
    PostFeedForwardNorm,
    Gate,
    Up,
    GateUp,  ///< gate above up
    Down,
    GateBias,
    UpBias,
    DownBias,
    XieluAlphaPositive,  ///< one number, as the three that follow
    XieluAlphaNegative,
    XieluBeta,
    XieluEpsilon,
    Router,
    RouterBias,
    SelectionBias,
    ExpertGate,  ///< of one expert; the three that follow are of all, experts outermost
    ExpertUp,
    ExpertDown,
    AllExpertGates,
    AllExpertUps,
    AllExpertGateUps,  ///< gate above up within each expert
    AllExpertDowns,
    AllExpertGateBiases,
    AllExpertUpBiases,
    AllExpertGateUpBiases,  ///< as AllExpertGateUps
    AllExpertDownBiases,
    SharedGate,
    SharedUp,
    SharedDown,
    SharedExpertGate,
};

}  // namespace lacuna
