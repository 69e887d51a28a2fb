#include "engine/kv/window_outline.h"

#include "engine/base/check.h"

namespace lacuna {
namespace {

tl::unexpected<Error> isOutline(int line = __builtin_LINE()) {
    return fail(ErrorCode::Unsupported, "the window layers of a snapshot hold no rows", __FILE__,
                line);
}

class WindowOutline final : public KvCache {
  public:
    explicit WindowOutline(const KvCache& window) : shape_(window.shape()) { see(window); }

    [[nodiscard]] const KvShape& shape() const override { return shape_; }
    [[nodiscard]] KvCapabilities capabilities() const override {
        KvCapabilities able;
        able.kind = KvKind::Rotating;
        able.canMerge = false;
        able.windowSize = window_;
        able.windowKeep = keep_;
        able.whyNoRollback = "the window layers of a snapshot hold no rows";
        return able;
    }
    [[nodiscard]] KvStats stats() const override {
        KvStats stats;
        stats.tokens = offset_.value;
        return stats;
    }
    [[nodiscard]] Position offset() const override { return offset_; }
    [[nodiscard]] int slots(LayerIndex /*layer*/, HeadIndex /*head*/) const override { return 0; }
    [[nodiscard]] Status beginAppend(int /*tokens*/) override { return isOutline(); }
    void writeLayer(LayerIndex /*layer*/, View<const float, 3> /*keys*/,
                    View<const float, 3> /*values*/) override {
        LACUNA_REQUIRE(false, "no append was begun");
    }
    [[nodiscard]] KvHeadView head(LayerIndex /*layer*/, HeadIndex /*head*/) const override {
        KvHeadView view;
        view.type = shape_.type;
        view.keyQuant = shape_.keyQuant;
        view.valueQuant = shape_.valueQuant;
        view.window = window_;
        view.keep = keep_;
        return view;
    }
    void commitAppend() override { LACUNA_REQUIRE(false, "no append was begun"); }
    void abortAppend() override {}
    [[nodiscard]] Status rollback(int /*tokens*/) override { return isOutline(); }
    [[nodiscard]] Status beginSpeculation(int /*most*/) override { return isOutline(); }
    [[nodiscard]] Status rewind(int /*tokens*/) override { return isOutline(); }
    [[nodiscard]] Status commitSpeculation() override { return isOutline(); }
    [[nodiscard]] Status apply(const CompactionPlan& /*plan*/) override { return isOutline(); }
    [[nodiscard]] Result<std::unique_ptr<KvCache>> clone() const override {
        return std::make_unique<WindowOutline>(*this);
    }
    [[nodiscard]] Status follow(KvCache& longer) override {
        see(longer);
        return {};
    }
    [[nodiscard]] Result<std::string> save() const override { return isOutline(); }
    [[nodiscard]] std::span<const float> keyNorms(LayerIndex /*layer*/,
                                                  HeadIndex /*head*/) override {
        return {};
    }
    void checkInvariants() const override {}

  private:
    void see(const KvCache& window) {
        const KvCapabilities able = window.capabilities();
        window_ = able.windowSize;
        keep_ = able.windowKeep;
        offset_ = window.offset();
    }

    const KvShape shape_;
    int window_ = 0;
    int keep_ = 0;
    Position offset_{};
};

}  // namespace

std::unique_ptr<KvCache> windowOutline(const KvCache& window) {
    return std::make_unique<WindowOutline>(window);
}

}  // namespace lacuna
