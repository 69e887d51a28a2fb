#pragma once
/// \file
/// One page of the disk tier as bytes: what it is of, the tokens it covers, their rows as a codec
/// wrote them. Written and read here, and nothing of a page is believed before this file has
/// checked it. Pages form chains: the key of a page is a keyed hash of its tokens and of the page
/// before it. Bytes: docs/disk-tier.md, "A page". Pure functions, any thread.

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
/// No page is longer, whatever a file says.
inline constexpr std::uint64_t kMostPageBytes = std::uint64_t{1} << 36;

/// 128 bits of a keyed hash.
struct PageKey {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    [[nodiscard]] std::string hex() const;
    friend bool operator==(const PageKey&, const PageKey&) = default;
};

/// What keys are made with: random, of this installation alone, so that nobody who does not read
/// the folder can make a text whose key is that of another.
struct PageSecret {
    std::array<std::byte, 192> bytes{};
};

/// What pages never leave: rows of one model under settings that change them.
struct PageSpace {
    std::string model;           ///< fingerprint of the weights, 1 to 128 letters of [A-Za-z0-9._-]
    std::uint64_t settings = 0;  ///< hash of everything else that changes a row
    friend bool operator==(const PageSpace&, const PageSpace&) = default;
};

/// A run of tokens, the next of its chain; or all of a cache that has no runs, one that was
/// compacted or forgets (saved as KvCache::save does).
enum class PageKind : std::uint32_t { Run = 1, Whole = 2 };

[[nodiscard]] PageKey spaceKey(const PageSecret& secret, const PageSpace& space);
/// `tokens` are those of the page: of a whole cache all, with no page before it.
[[nodiscard]] PageKey pageKey(const PageSecret& secret, const PageKey& space, const PageKey& parent,
                              PageKind kind, std::span<const TokenId> tokens);

/// What makes a cache like this one.
[[nodiscard]] KvChoice choiceOfCache(const KvCache& cache);
/// What of a cache has to be the same for its rows to fit, number by number: shape, formats, the
/// window of 16 bits, and what each layer remembers.
[[nodiscard]] std::vector<std::uint32_t> cacheLayoutOf(const KvChoice& choice);
/// Most bytes that the rows of so many tokens can take in such a cache, saved whole.
[[nodiscard]] std::uint64_t mostStateBytes(const std::vector<std::uint32_t>& layout,
                                           std::uint64_t tokens);

struct PageHeader {
    PageKind kind = PageKind::Run;
    PageKey key;
    PageKey parent;  ///< zeros: the first of its chain, or a whole cache
    PageSpace space;
    std::string codec;
    std::uint64_t codecIdentity = 0;
    TokenRun run;
    std::vector<std::uint32_t> layout;
    std::uint64_t stateBytes = 0;  ///< of a whole cache, before compression; 0 else
    friend bool operator==(const PageHeader&, const PageHeader&) = default;
};

/// Why a page is not used.
enum class PageFault {
    Missing,
    Unreadable,  ///< the system does not give its bytes, or it is no regular file
    Length,      ///< cut, or longer than it says
    Magic,
    Endianness,
    Version,
    Checksum,  ///< of the header, the tokens or the rows
    Key,       ///< its own tokens do not give its key, or it stands under another
    Space,     ///< of another model or other settings
    Parent,    ///< of another chain
    Run,       ///< of other tokens' places
    Tokens,    ///< other tokens
    Layout,    ///< of another shape, format or kind
    Codec,     ///< nobody here decodes it
    Content,   ///< its rows do not decode
};
[[nodiscard]] std::string_view pageFaultName(PageFault fault);
/// Whether a page with this fault is damaged or not where it belongs, and is put aside.
[[nodiscard]] bool isDamage(PageFault fault);

struct PageRefusal {
    PageFault fault = PageFault::Missing;
    std::string what;  ///< a sentence, without the file's name
};
template <class T>
using PageResult = tl::expected<T, PageRefusal>;

/// The bytes of a page. `tokens` are run.count many.
[[nodiscard]] std::vector<std::byte> writePage(const PageHeader& header,
                                               std::span<const TokenId> tokens,
                                               std::span<const std::byte> rows);

struct ParsedPage {
    PageHeader header;
    std::vector<TokenId> tokens;
    std::span<const std::byte> rows;  ///< of the bytes that were read; empty: only the head was
};
/// Header, tokens and their checksums, from the first bytes of a file of `fileBytes`; `start` is at
/// least as long as headBytes says, or all of the file.
[[nodiscard]] PageResult<ParsedPage> parsePageHead(std::span<const std::byte> start,
                                                   std::uint64_t fileBytes);
/// How many bytes parsePageHead needs, from the first kPageStartBytes of a file or all of it.
inline constexpr std::size_t kPageStartBytes = 56;
[[nodiscard]] PageResult<std::uint64_t> pageHeadBytes(std::span<const std::byte> start,
                                                      std::uint64_t fileBytes);
/// All of it. Nothing is allocated by a number that the bytes do not cover.
[[nodiscard]] PageResult<ParsedPage> parsePage(std::span<const std::byte> bytes);

/// What somebody looks for.
struct PageWish {
    PageKind kind = PageKind::Run;
    PageKey parent;
    PageSpace space;
    std::int64_t first = 0;
    std::span<const TokenId> tokens;
    std::vector<std::uint32_t> layout;
};
/// Whether a page is the one that is wished for, token by token. `key` is the one it was found by.
[[nodiscard]] PageResult<void> checkPage(const ParsedPage& page, const PageWish& wish,
                                         const PageKey& key);

}  // namespace lacuna
