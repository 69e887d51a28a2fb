#include "engine/kernels/cpu_features.h"

#include <hwy/targets.h>

#include <cstdlib>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/rotated_parts.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lacuna {
namespace {

constexpr const char* kChoice = "LACUNA_KERNELS";

#if defined(__x86_64__)
constexpr unsigned kVbmiBit = 1U << 1;     // leaf 7.0, ECX
constexpr unsigned kVnniBit = 1U << 11;    // leaf 7.0, ECX
constexpr unsigned kBitalgBit = 1U << 12;  // leaf 7.0, ECX
constexpr unsigned kBf16Bit = 1U << 5;     // leaf 7.1, EAX

// Called only once AVX-512 itself is usable: the extensions use its registers, which the operating
// system is then known to save.
void detectAvx512Extensions(CpuFeatures& features) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
    const unsigned lastSubleaf = a;
    // Processors with VNNI and VBMI have BITALG too; kernels for VBMI use both.
    features.avx512Vbmi = (c & kVbmiBit) != 0 && (c & kBitalgBit) != 0;
    features.avx512Vnni = (c & kVnniBit) != 0;
    if (lastSubleaf >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0)
        features.avx512Bf16 = (a & kBf16Bit) != 0;
}
#endif

std::vector<KernelTable> makeTables(const CpuFeatures& features) {
    std::vector<KernelTable> tables{scalarKernels()};
#if defined(__x86_64__)
    const auto add = [&](std::string_view name, SimdLevel level) -> KernelTable& {
        KernelTable table = scalarKernels();
        fillSimdRowKernels(level, table);
        fillSimdCurveKernels(level, table);
        fillSimdTileKernels(level, table);
        fillSimdAttentionKernels(level, table);
        fillSimdCodedKernels(level, table);
        fillSimdRotatedKernels(level, table);
        fillSimdEncodeKernels(level, table);
        fillSimdSelectionKernels(level, table);
        fillSimdMixerKernels(level, table);
        fillAvx2IntegerKernels(table);
        fillAvx2GroupKernels(table);
        fillAvx2HalfKernels(table);
        fillAvx2RotatedKernels(table);
        if (level == SimdLevel::Avx512) fillAvx512HalfKernels(table);
        table.name = name;
        return tables.emplace_back(table);
    };
    if (features.avx2) add("avx2", SimdLevel::Avx2);
    if (features.avx512) add("avx512", SimdLevel::Avx512);
    const auto addVnni = [&](std::string_view name) -> KernelTable& {
        KernelTable& table = add(name, SimdLevel::Avx512);
        fillVnniRowKernels(table);
        fillVnniTileKernels(table);
        fillVnniGroupKernels(table);
        fillVnniRotatedKernels(table);
        if (features.avx512Vbmi) fillVbmiRotatedKernels(table);
        return table;
    };
    if (features.avx512Vnni) addVnni("avx512-vnni");
    if (features.avx512Vnni && features.avx512Bf16) {
        KernelTable& table = addVnni("avx512-vnni-bf16");
        fillBfloatKernels(table);
        fillBfloatGroupKernels(table);
        fillBfloatRotatedKernels(table);
    }
#endif
    return tables;
}

}  // namespace

std::string CpuFeatures::describe() const {
    std::string text = "scalar";
    if (avx2) text += " avx2";
    if (avx512) text += " avx512";
    if (avx512Vnni) text += " avx512-vnni";
    if (avx512Bf16) text += " avx512-bf16";
    if (avx512Vbmi) text += " avx512-vbmi";
    return text;
}

CpuFeatures detectCpuFeatures() {
    CpuFeatures features;
#if defined(__x86_64__)
    // Highway reads CPUID and XGETBV and checks every extension that a target's code may use.
    const auto targets = hwy::SupportedTargets();
    features.avx2 = (targets & HWY_AVX2) != 0;
    features.avx512 = (targets & HWY_AVX3) != 0;
    if (features.avx512) detectAvx512Extensions(features);
#endif
    return features;
}

std::span<const KernelTable> availableKernels() {
    static const std::vector<KernelTable> tables = makeTables(detectCpuFeatures());
    return tables;
}

const KernelTable& bestKernels() {
    static const KernelTable& chosen = []() -> const KernelTable& {
        const char* name = std::getenv(kChoice);
        const KernelTable* named = name != nullptr ? findKernels(name) : nullptr;
        return named != nullptr ? *named : availableKernels().back();
    }();
    return chosen;
}

Status checkKernelChoice() {
    const char* name = std::getenv(kChoice);
    if (name == nullptr || findKernels(name) != nullptr) return {};
    std::string known;
    for (const KernelTable& table : availableKernels())
        known += (known.empty() ? "" : ", ") + std::string(table.name);
    return fail(ErrorCode::InvalidArgument,
                format("{} is \"{}\"; this machine can run {}", kChoice, name, known));
}

const KernelTable* findKernels(std::string_view name) {
    for (const KernelTable& table : availableKernels())
        if (table.name == name) return &table;
    return nullptr;
}

}  // namespace lacuna
