#include "engine/grammar/byte_classes.h"

#include <algorithm>

namespace lacuna {

std::uint32_t ByteShapes::add(std::span<const ByteEdge> edges) {
    std::vector<std::uint64_t> key;
    std::vector<std::uint32_t> targets;
    for (const ByteEdge& edge : edges) {
        auto at = std::ranges::find(targets, edge.target);
        if (at == targets.end()) at = targets.insert(at, edge.target);
        const auto target = static_cast<std::uint64_t>(at - targets.begin());
        key.push_back(target << 16U | std::uint64_t{edge.first} << 8U | edge.last);
    }
    const auto [found, fresh] =
        numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(shapes_.size()));
    if (fresh) shapes_.push_back(labelsOf(edges));
    return found->second;
}

ByteShapes::Labels ByteShapes::labelsOf(std::span<const ByteEdge> edges) {
    Labels labels{};
    std::uint16_t next = 1;
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint16_t> longer;  // keyed by label and
                                                                              // target
    for (const ByteEdge& edge : edges) {
        for (std::size_t byte = edge.first; byte <= edge.last; ++byte) {
            const auto [found, fresh] = longer.try_emplace({labels[byte], edge.target}, next);
            if (fresh) ++next;
            labels[byte] = found->second;
        }
    }
    return labels;
}

bool ByteShapes::separatesLetters(const Labels& labels) {
    const auto differs = [&](char first, char last) {
        const auto from = labels.begin() + first;
        return std::any_of(from, labels.begin() + last + 1,
                           [&](std::uint16_t label) { return label != *from; });
    };
    return differs('a', 'z') || differs('A', 'Z');
}

void ByteShapes::refine(ByteClasses& classes, const Labels& labels) {
    std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint16_t> numbers;
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const auto [found, fresh] = numbers.try_emplace({classes.of[byte], labels[byte]},
                                                        static_cast<std::uint16_t>(numbers.size()));
        classes.of[byte] = found->second;
        if (fresh) classes.representatives[found->second] = static_cast<std::uint8_t>(byte);
    }
    classes.count = static_cast<std::uint16_t>(numbers.size());
}

ByteClasses ByteShapes::fine() const {
    ByteClasses classes;
    for (const Labels& labels : shapes_) refine(classes, labels);
    return classes;
}

ByteClasses ByteShapes::broad() const {
    ByteClasses classes;
    for (const Labels& labels : shapes_)
        if (!separatesLetters(labels)) refine(classes, labels);
    return classes;
}

std::vector<std::bitset<256>> ByteShapes::splitClasses(const ByteClasses& classes) const {
    std::vector<std::bitset<256>> splitClasses(shapes_.size());
    for (std::size_t shape = 0; shape < shapes_.size(); ++shape) {
        const Labels& labels = shapes_[shape];
        for (std::size_t byte = 0; byte < 256; ++byte)
            if (labels[byte] != labels[classes.representatives[classes.of[byte]]])
                splitClasses[shape].set(classes.of[byte]);
    }
    return splitClasses;
}

}  // namespace lacuna
