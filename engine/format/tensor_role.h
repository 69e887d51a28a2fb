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
    PostDenseNorm,  ///< norms of a layer whose experts run in parallel with a dense one
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
    SharedGateUp,        ///< gate stacked on up of the shared expert
    RecurrentStepsDown,  ///< a product of two matrices: the first one
    RecurrentGateDown,
    QueryConvolution,  ///< kernels of a mixer whose columns are projected separately
    KeyConvolution,
    ValueConvolution,
    QueryDown,  ///< from the hidden size to the latent of the queries
    QueryLatentNorm,
    QueryUp,
    LatentKey,  ///< to the latent of keys and values, followed by the key that rotates
    LatentNorm,
    LatentKeyUp,    ///< from the latent to the keys of each head, transposed
    LatentValueUp,  ///< from the latent to the values of each head
    LatentUp,       ///< both: keys, then values, of each head
    DraftJoining,   ///< of a draft block (DraftBlock), like the five that follow
    DraftEmbeddingNorm,
    DraftHiddenNorm,
    DraftFinalNorm,
    DraftEmbedding,
    DraftOutput,
};

}  // namespace lacuna
