#pragma once
/// \file
/// Bit set of the slots of a head that stay in a compaction. A list of the same slots takes 32
/// times the memory, and writing it would dominate the time of an eviction. Plain data.

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace lacuna {

class SlotMarks {
  public:
    SlotMarks() = default;
    explicit SlotMarks(int slots)
        : slots_(slots), words_((static_cast<std::size_t>(slots) + 63) / 64, 0) {}

    /// @pre `kept` within 0 to slots - 1
    SlotMarks(int slots, std::span<const std::int32_t> kept) : SlotMarks(slots) {
        for (const std::int32_t slot : kept) add(slot);
    }

    [[nodiscard]] int slots() const { return slots_; }
    [[nodiscard]] bool has(int slot) const {
        return (words_[static_cast<std::size_t>(slot) / 64] >> (slot % 64) & 1U) != 0;
    }
    void add(int slot) {
        words_[static_cast<std::size_t>(slot) / 64] |= std::uint64_t{1} << (slot % 64);
    }
    /// Bit j % 64 of word j / 64 is slot j; bits after the last slot are 0.
    [[nodiscard]] std::uint64_t* words() { return words_.data(); }
    [[nodiscard]] const std::uint64_t* words() const { return words_.data(); }
    [[nodiscard]] std::size_t wordCount() const { return words_.size(); }
    [[nodiscard]] int count() const {
        int sum = 0;
        for (const std::uint64_t word : words_) sum += std::popcount(word);
        return sum;
    }
    /// First unmarked slot; slots() if all are marked.
    [[nodiscard]] int firstWithout() const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            if (words_[w] != ~std::uint64_t{0}) {
                const int slot = static_cast<int>(w) * 64 + std::countr_one(words_[w]);
                return slot < slots_ ? slot : slots_;
            }
        return slots_;
    }
    /// Marked slots, ascending.
    [[nodiscard]] std::vector<std::int32_t> list() const {
        std::vector<std::int32_t> out;
        out.reserve(static_cast<std::size_t>(count()));
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
                out.push_back(static_cast<std::int32_t>(w * 64) + std::countr_zero(left));
        return out;
    }
    friend bool operator==(const SlotMarks&, const SlotMarks&) = default;

  private:
    int slots_ = 0;
    std::vector<std::uint64_t> words_;
};

}  // namespace lacuna
