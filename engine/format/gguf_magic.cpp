#include "engine/format/gguf_magic.h"

#include <array>
#include <cstdint>

#include "engine/base/string_format.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kFixedHeaderBytes = 24;

struct Signature {
    std::string_view bytes;
    std::string_view meaning;
};
constexpr std::array<Signature, 11> kSignatures{{
    {"<!DOCTYPE", "an HTML page (the download page instead of the file)"},
    {"<!doctype", "an HTML page (the download page instead of the file)"},
    {"<html", "an HTML page (the download page instead of the file)"},
    {"PK\x03\x04", "a ZIP archive or a PyTorch checkpoint"},
    {"\x89PNG", "a PNG picture"},
    {"\x1f\x8b", "a gzip archive"},
    {"\x80\x02", "a Python pickle"},
    {"\x80\x03", "a Python pickle"},
    {"\x80\x04", "a Python pickle"},
    {"\x80\x05", "a Python pickle"},
    {"{", "JSON text"},
}};

std::string_view asText(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Status checkGgufMagic(std::span<const std::byte> file) {
    const std::string_view text = asText(file);
    if (text.starts_with(kGgufMagic)) return {};
    if (text.size() < kGgufMagic.size() && kGgufMagic.starts_with(text))
        return fail(ErrorCode::GgufTruncated,
                    format("the file has {} bytes; a GGUF file has at least {}", text.size(),
                           kFixedHeaderBytes));
    if (text.starts_with("GGML") || text.starts_with("GGJT") || text.starts_with("ggml") ||
        text.starts_with("tjgg") || text.starts_with("lmgg"))
        return fail(ErrorCode::GgufOldFormat,
                    "the file is in the GGML format that came before GGUF; convert the original "
                    "model again");
    if (text.starts_with("version https://git-lfs"))
        return fail(ErrorCode::GgufLfsPointer,
                    "the file is a Git LFS pointer, not the model; fetch it with git lfs pull");
    for (const Signature& known : kSignatures)
        if (text.starts_with(known.bytes))
            return fail(
                ErrorCode::GgufBadMagic,
                format("the file does not begin with GGUF; it looks like {}", known.meaning));
    if (text.size() > 8 && text[8] == '{')
        return fail(ErrorCode::GgufBadMagic,
                    "the file does not begin with GGUF; it looks like safetensors: open its folder "
                    "instead");
    return fail(ErrorCode::GgufBadMagic, format("the file does not begin with GGUF but with \"{}\"",
                                                printable(text.substr(0, kGgufMagic.size()))));
}

}  // namespace lacuna
