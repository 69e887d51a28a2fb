#pragma once
/// \file
/// All error codes of the program: enumerator, stable name, class. The name is printed by the
/// window, the command line and reports, and never changes its meaning. The class determines the
/// exit status of the command line.

namespace lacuna {

/// Classes of errors and their exit status (sysexits if one fits).
enum class ErrorClass {
    Usage = 2,         ///< an invalid option, setting or combination
    Data = 65,         ///< a file or text that cannot be parsed
    NotFound = 66,     ///< a file that is missing or not readable
    Unsupported = 69,  ///< valid, but not supported by this build
    Internal = 70,     ///< a bug in the program
    Memory = 71,       ///< not enough memory
    Io = 74,           ///< reading or writing failed
    Cancelled = 130,   ///< cancelled by the user
};

// X(enumerator, stable name, class)
#define LACUNA_ERROR_CODES(X)                              \
    X(InvalidArgument, "INVALID_ARGUMENT", Usage)          \
    X(Range, "RANGE", Usage)                               \
    X(Conflict, "CONFLICT", Usage)                         \
    X(UnknownKey, "UNKNOWN_KEY", Usage)                    \
    X(ContextFull, "CTX_FULL", Usage)                      \
    X(Unsupported, "UNSUPPORTED", Unsupported)             \
    X(Incompatible, "INCOMPATIBLE", Data)                  \
    X(Corrupt, "CORRUPT", Data)                            \
    X(Divergent, "DIVERGENT", Internal)                    \
    X(Internal, "INTERNAL", Internal)                      \
    X(NoMemory, "NO_MEMORY", Memory)                       \
    X(Cancelled, "CANCELLED", Cancelled)                   \
    X(NotFound, "NOT_FOUND", NotFound)                     \
    X(NotAFile, "NOT_A_FILE", NotFound)                    \
    X(Denied, "DENIED", NotFound)                          \
    X(Read, "READ", Io)                                    \
    X(Write, "WRITE", Io)                                  \
    X(ModelChanged, "MODEL_CHANGED", Io)                   \
    X(Json, "JSON", Data)                                  \
    X(Config, "CONFIG", Data)                              \
    X(GgufTruncated, "GGUF_TRUNCATED", Data)               \
    X(GgufOldFormat, "GGUF_OLD_FORMAT", Data)              \
    X(GgufBadMagic, "GGUF_BAD_MAGIC", Data)                \
    X(GgufLfsPointer, "GGUF_LFS_POINTER", Data)            \
    X(GgufBadVersion, "GGUF_BAD_VERSION", Data)            \
    X(GgufBigEndian, "GGUF_BIG_ENDIAN", Data)              \
    X(GgufLimit, "GGUF_LIMIT", Data)                       \
    X(GgufNoArch, "GGUF_NO_ARCH", Data)                    \
    X(GgufBadKey, "GGUF_BAD_KEY", Data)                    \
    X(GgufDupKey, "GGUF_DUP_KEY", Data)                    \
    X(GgufBadType, "GGUF_BAD_TYPE", Data)                  \
    X(GgufBadBool, "GGUF_BAD_BOOL", Data)                  \
    X(GgufMetaType, "GGUF_META_TYPE", Data)                \
    X(GgufBadAlign, "GGUF_BAD_ALIGN", Data)                \
    X(GgufBadName, "GGUF_BAD_NAME", Data)                  \
    X(GgufDupTensor, "GGUF_DUP_TENSOR", Data)              \
    X(GgufBadDims, "GGUF_BAD_DIMS", Data)                  \
    X(GgufBadShape, "GGUF_BAD_SHAPE", Data)                \
    X(GgufOverflow, "GGUF_OVERFLOW", Data)                 \
    X(GgufTensorType, "GGUF_TENSOR_TYPE", Data)            \
    X(GgufBadOffset, "GGUF_BAD_OFFSET", Data)              \
    X(GgufSplit, "GGUF_SPLIT", Unsupported)                \
    X(StTruncated, "ST_TRUNCATED", Data)                   \
    X(StBadHeader, "ST_BAD_HEADER", Data)                  \
    X(StLimit, "ST_LIMIT", Data)                           \
    X(StDupKey, "ST_DUP_KEY", Data)                        \
    X(StBadOffset, "ST_BAD_OFFSET", Data)                  \
    X(StShape, "ST_SHAPE", Data)                           \
    X(StOverflow, "ST_OVERFLOW", Data)                     \
    X(StDtype, "ST_DTYPE", Data)                           \
    X(StPath, "ST_PATH", Data)                             \
    X(StIndex, "ST_INDEX", Data)                           \
    X(StKind, "ST_KIND", Unsupported)                      \
    X(ModelArchUnknown, "MODEL_ARCH_UNKNOWN", Unsupported) \
    X(ModelMissingKey, "MODEL_MISSING_KEY", Data)          \
    X(ModelMissingTensor, "MODEL_MISSING_TENSOR", Data)    \
    X(ModelBadLayers, "MODEL_BAD_LAYERS", Data)            \
    X(ModelBadHeads, "MODEL_BAD_HEADS", Data)              \
    X(ModelBadDim, "MODEL_BAD_DIM", Data)                  \
    X(ModelBadRope, "MODEL_BAD_ROPE", Data)                \
    X(ModelBadEps, "MODEL_BAD_EPS", Data)                  \
    X(ModelBadCtx, "MODEL_BAD_CTX", Data)                  \
    X(ModelShape, "MODEL_SHAPE", Data)                     \
    X(ModelVocab, "MODEL_VOCAB", Data)                     \
    X(ModelTypeUse, "MODEL_TYPE_USE", Data)                \
    X(ModelNonFinite, "MODEL_NON_FINITE", Data)            \
    X(ModelKind, "MODEL_KIND", Unsupported)                \
    X(TokVocab, "TOK_VOCAB", Data)                         \
    X(TokByteToken, "TOK_BYTE_TOKEN", Data)                \
    X(TokMerges, "TOK_MERGES", Data)                       \
    X(TokSpecialId, "TOK_SPECIAL_ID", Data)                \
    X(TokPreUnknown, "TOK_PRE_UNKNOWN", Unsupported)       \
    X(TokRegex, "TOK_REGEX", Data)                         \
    X(TokConfig, "TOK_CONFIG", Data)                       \
    X(TokTokenId, "TOK_TOKEN_ID", Data)                    \
    X(TokTooLong, "TOK_TOO_LONG", Data)                    \
    X(TplSyntax, "TPL_SYNTAX", Data)                       \
    X(TplUnsupported, "TPL_UNSUPPORTED", Unsupported)      \
    X(TplLimit, "TPL_LIMIT", Data)                         \
    X(TplRefused, "TPL_REFUSED", Data)                     \
    X(TplRuntime, "TPL_RUNTIME", Data)                     \
    X(TplMessages, "TPL_MESSAGES", Data)                   \
    X(KvNonFinite, "KV_NON_FINITE", Data)

enum class ErrorCode {
#define LACUNA_X(name, text, cls) name,
    LACUNA_ERROR_CODES(LACUNA_X)
#undef LACUNA_X
};

}  // namespace lacuna
