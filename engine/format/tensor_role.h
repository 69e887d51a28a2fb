#pragma once
/// \file
/// Roles of weights.

namespace lacuna {

enum class TensorRole {
    Embedding,
    Output,
    LogitBias,
    FinalNorm,
    FinalNormBias,
    LayerEmbedding,  ///< rows of the embeddings of all layers
    LayerProjection,
    LayerProjectionNorm,
    RopeFactors,
    RopeLongFactors,
    RopeShortFactors,
    AttentionNorm,
    AttentionNormBias,
    Query,
    Key,
    Value,
    QueryKeyValue,  ///< the three above, stacked
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
    LayerGate,  ///< from the residual to the embedding of a layer, and back
    LayerOutput,
    PostLayerNorm,
    LayerOutputScale,  ///< one number
    Gate,
    Up,
    GateUp,  ///< gate stacked on up
    Down,
    GateBias,
    UpBias,
    DownBias,
    XieluAlphaPositive,  ///< one number, like the three that follow
    XieluAlphaNegative,
    XieluBeta,
    XieluEpsilon,
    Router,
    RouterBias,
    SelectionBias,
    RouterScale,
    ExpertScale,    ///< one number for each expert
    PostDenseNorm,  ///< norms of a layer whose experts work beside a dense feed-forward
    ExpertNorm,
    PostExpertNorm,
    ExpertGate,  ///< one expert; the three that follow hold all, experts outermost
    ExpertUp,
    ExpertDown,
    AllExpertGates,
    AllExpertUps,
    AllExpertGateUps,  ///< gate stacked on up within each expert
    AllExpertDowns,
    AllExpertGateBiases,
    AllExpertUpBiases,
    AllExpertGateUpBiases,  ///< in the order of AllExpertGateUps
    AllExpertDownBiases,
    SharedGate,
    SharedUp,
    SharedDown,
    SharedExpertGate,
    RecurrentInput,  ///< the projection to the columns, and in some families also to gates
    RecurrentGroupedInput,
    RecurrentGate,
    RecurrentSteps,
    RecurrentStrengths,
    RecurrentGroupedSteps,  ///< strengths and steps, grouped by key head
    ConvolutionKernel,
    ConvolutionBias,
    DecayRate,
    StepBias,
    SkipGain,
    RecurrentNorm,
    RecurrentOutput,
    SharedGateUp,  ///< gate stacked on up of the shared expert
    DraftJoining,  ///< of a draft block (DraftBlock), like the five that follow
    DraftEmbeddingNorm,
    DraftHiddenNorm,
    DraftFinalNorm,
    DraftEmbedding,
    DraftOutput,
};

}  // namespace lacuna
