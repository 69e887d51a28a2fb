#include <algorithm>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/gguf_header.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

std::string quoted(const GgufTensor& tensor) {
    return format("tensor \"{}\"", printable(tensor.name));
}

/// Sum of all tensors' bytes, each rounded up to the alignment; the plan of the data section.
Result<std::uint64_t> paddedTotal(const GgufHeader& header) {
    std::uint64_t total = header.dataStart;
    for (const GgufTensor& tensor : header.tensors) {
        const auto rounded = checkedAdd(tensor.bytes, header.alignment - 1);
        const auto sum =
            rounded ? checkedAdd(total, *rounded / header.alignment * header.alignment) : rounded;
        if (!sum)
            return fail(
                ErrorCode::GgufOverflow,
                format("{}: the sizes of all tensors together do not fit 64 bits", quoted(tensor)));
        total = *sum;
    }
    return total;
}

Status checkOffset(const GgufTensor& tensor, std::uint32_t alignment) {
    if (tensor.offset % alignment != 0)
        return fail(ErrorCode::GgufBadOffset,
                    format("{} begins at data offset {}, which is not a multiple of {}",
                           quoted(tensor), tensor.offset, alignment));
    return {};
}

}  // namespace

Result<std::vector<std::string>> checkGgufData(const GgufHeader& header, std::uint64_t fileBytes) {
    LACUNA_TRY(const std::uint64_t planned, paddedTotal(header));
    std::vector<const GgufTensor*> order;
    for (const GgufTensor& tensor : header.tensors) {
        LACUNA_TRY_STATUS(checkOffset(tensor, header.alignment));
        order.push_back(&tensor);
    }
    std::vector<std::string> notes;
    const auto byOffset = [](const GgufTensor* a, const GgufTensor* b) {
        return a->offset < b->offset;
    };
    if (!std::ranges::is_sorted(order, byOffset))
        notes.emplace_back("tensors are not stored in the order of their records");
    std::ranges::stable_sort(order, byOffset);

    std::uint64_t end = 0;  // of the data so far, from the start of the data section
    bool gaps = false;
    for (const GgufTensor* tensor : order) {
        if (tensor->offset < end)
            return fail(
                ErrorCode::GgufBadOffset,
                format("{} at data offset {} overlaps the tensor before it, which ends at {}",
                       quoted(*tensor), tensor->offset, end));
        gaps = gaps || tensor->offset - end >= header.alignment;
        const auto last = checkedAdd(tensor->offset, tensor->bytes);
        const auto inFile = last ? checkedAdd(*last, header.dataStart) : last;
        // Without gaps the record is sound and the file is short; with one the offset itself is
        // wrong.
        if (!inFile || (*inFile > fileBytes && gaps))
            return fail(
                ErrorCode::GgufBadOffset,
                format("{} at data offset {} with {} bytes ends outside the file of {} bytes",
                       quoted(*tensor), tensor->offset, tensor->bytes, fileBytes));
        if (*inFile > fileBytes)
            return fail(ErrorCode::GgufTruncated,
                        format("{} ends at byte {}, the file at byte {}; of about {} bytes {} are "
                               "missing: load it "
                               "from its source again",
                               quoted(*tensor), *inFile, fileBytes, planned, *inFile - fileBytes));
        end = *last;
    }
    if (gaps) notes.emplace_back("there are unused bytes between tensors");
    if (!order.empty() && fileBytes - header.dataStart - end >= header.alignment)
        notes.push_back(
            format("{} bytes follow the last tensor", fileBytes - header.dataStart - end));
    return notes;
}

}  // namespace lacuna
