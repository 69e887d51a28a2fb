#pragma once
/// \file
/// The byte format of one disk-tier page: a header, the tokens that it covers and their rows as
/// encoded by a codec. Every field is validated here before use. Pages form chains: the key of a
/// page is a keyed hash of its tokens and of the previous page's key. Format: docs/disk-tier.md, "A
/// page". Pure functions, any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "engine/base/ids.h"
#include "engine/kv/kv_factory.h"
#include "engine/prefix/page_codec.h"
#include "engine/values/prefix_values.h"

namespace lacuna {

inline constexpr std::uint32_t kPageVersion = 1;
/// Upper bound of a page's size, whatever its header states.
inline constexpr std::uint64_t kMaxPageBytes = std::uint64_t{1} << 36;

/// 128 bits of a keyed hash.
struct PageKey {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    [[nodiscard]] std::string hex() const;
    friend bool operator==(const PageKey&, const PageKey&) = default;
};

/// Key of the page hash. It is random for each installation, so that a text whose key collides with
/// another's cannot be crafted without access to the folder.
struct PageSecret {
    std::array<std::byte, 192> bytes{};
};

/// Pages are never shared between spaces: rows of one model under the settings that affect them.
struct PageSpace {
    std::string model;  ///< fingerprint of the weights, 1 to 128 characters of [A-Za-z0-9._-]
    std::uint64_t settings = 0;  ///< hash of everything else that affects a row
    friend bool operator==(const PageSpace&, const PageSpace&) = default;
};

/// Run: a run of tokens, the next link of a chain. Whole: a complete cache without runs, because it
/// was compacted or evicts by age (as saved by KvCache::save).
enum class PageKind : std::uint32_t { Run = 1, Whole = 2 };

[[nodiscard]] PageKey spaceKey(const PageSecret& secret, const PageSpace& space);
/// `tokens` are the tokens of the page. A whole-cache page has all tokens of the cache and no
/// parent.
[[nodiscard]] PageKey pageKey(const PageSecret& secret, const PageKey& space, const PageKey& parent,
                              PageKind kind, std::span<const TokenId> tokens);

/// Returns the options with which makeCache makes a cache like this one.
[[nodiscard]] KvChoice choiceOfCache(const KvCache& cache);
/// Cache properties that must match for rows to fit, as numbers: shape, formats, the 16-bit window
/// and the eviction parameters of each layer; then the extent of each, if the layers differ.
[[nodiscard]] std::vector<std::uint32_t> cacheLayoutOf(const KvChoice& choice);
/// Upper bound of the serialised size of such a cache with this many tokens.
[[nodiscard]] std::uint64_t maxStateBytes(const std::vector<std::uint32_t>& layout,
                                          std::uint64_t tokens);

struct PageHeader {
    PageKind kind = PageKind::Run;
    PageKey key;
    PageKey parent;  ///< zero for the first page of a chain and for a whole-cache page
    PageSpace space;
    std::string codec;
    std::uint64_t codecIdentity = 0;
    TokenRun run;
    std::vector<std::uint32_t> layout;
    std::uint64_t stateBytes = 0;  ///< uncompressed size of a whole cache; 0 otherwise
    friend bool operator==(const PageHeader&, const PageHeader&) = default;
};

/// Why a page is not used.
enum class PageFault {
    Missing,
    Unreadable,  ///< an I/O error, or not a regular file
    Length,      ///< truncated, or longer than its header states
    Magic,
    Endianness,
    Version,
    Checksum,  ///< a checksum of the header, the tokens or the rows is wrong
    Key,       ///< the key is not the hash of the page's tokens, or not the one it is stored under
    Space,     ///< belongs to another model or other settings
    Parent,    ///< belongs to another chain
    Run,       ///< covers other token positions
    Tokens,    ///< contains other tokens
    Layout,    ///< has another shape, format or kind
    Codec,     ///< no available codec decodes it
    Content,   ///< its rows cannot be decoded
};
[[nodiscard]] std::string_view pageFaultName(PageFault fault);
/// Returns true if a page with this fault is damaged or misplaced, and so is quarantined.
[[nodiscard]] bool isDamage(PageFault fault);

struct PageRefusal {
    PageFault fault = PageFault::Missing;
    std::string what;  ///< message, without the file's name
};
template <class T>
using PageResult = tl::expected<T, PageRefusal>;

/// Serialises a page. @pre `tokens` has run.count elements
[[nodiscard]] std::vector<std::byte> writePage(const PageHeader& header,
                                               std::span<const TokenId> tokens,
                                               std::span<const std::byte> rows);

struct ParsedPage {
    PageHeader header;
    std::vector<TokenId> tokens;
    std::span<const std::byte> rows;  ///< points into the bytes that were read; empty if only the
                                      ///< head was read
};
/// Parses header, tokens and their checksums from the beginning of a file of `fileBytes`. @pre
/// `start` has at least pageHeadBytes() bytes, or is the complete file
[[nodiscard]] PageResult<ParsedPage> parsePageHead(std::span<const std::byte> start,
                                                   std::uint64_t fileBytes);
/// pageHeadBytes returns the number of bytes that parsePageHead needs, given the first
/// kPageStartBytes of a file, or all of a shorter one.
inline constexpr std::size_t kPageStartBytes = 56;
[[nodiscard]] PageResult<std::uint64_t> pageHeadBytes(std::span<const std::byte> start,
                                                      std::uint64_t fileBytes);
/// Parses a complete page. Never allocates more than the actual input size justifies.
[[nodiscard]] PageResult<ParsedPage> parsePage(std::span<const std::byte> bytes);

/// Expected properties of a page.
struct PageQuery {
    PageKind kind = PageKind::Run;
    PageKey parent;
    PageSpace space;
    std::int64_t first = 0;
    std::span<const TokenId> tokens;
    std::vector<std::uint32_t> layout;
};
/// Checks that a page has the expected properties, token by token. `key` is the key it was found
/// by.
[[nodiscard]] PageResult<void> checkPage(const ParsedPage& page, const PageQuery& request,
                                         const PageKey& key);

}  // namespace lacuna
