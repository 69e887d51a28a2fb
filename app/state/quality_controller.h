#pragma once
/// \file
/// The quality tables of the model in use: what is kept of them, filling one, and the sentence that
/// defaults and settings are shown with ("recall 26 of 29 here ..."). Owned by the GUI thread; a
/// process of lacuna-bench measures and writes the table, and is held while an answer is written.

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace lacuna {
enum class TableSize;
struct EngineConfig;
struct MachineFacts;
struct ModelFacts;
}  // namespace lacuna

namespace lacuna::app {

struct ProgramEnd;

/// One setting of the table. Figures that were not measured are none.
struct QualityRowView {
    QString method;
    double ratio = 1;            ///< that was asked for; 1: the whole cache
    QString settings;            ///< "method=am am_ratio=4"
    QString refused;             ///< why nothing of it was measured; empty: it was, or not yet
    qint64 items = 0, left = 0;  ///< texts it was measured on, and those it left as they were
    qint64 open = 0;             ///< texts that it was not tried on yet
    qint64 asks = 0, hits = 0;   ///< dialogues that the whole cache answers, and of them its own
    std::optional<double> rulerShare;  ///< of the whole cache's score
    qint64 questions = 0;              ///< of RULER
    std::optional<double> klMean, klP99, perplexity;
    qint64 positions = 0;                                 ///< of running text
    double liveBytes = 0, logicalBytes = 0, seconds = 0;  ///< means of a text
};

struct QualityTableView {
    bool there = false;
    QString conditions;  ///< what it was measured on, when and where; sentences
    qint64 done = 0, total = 0;
    QualityRowView whole;  ///< the whole cache on the same texts
    QVector<QualityRowView> rows;
    [[nodiscard]] bool complete() const { return there && total > 0 && done == total; }
};

/// What choosing something sets: key and text of each setting.
using SettingTexts = QVector<std::pair<QString, QString>>;

/// A preset of the cache, or a format that is none. Figures that were not measured are none.
struct FormatRowView {
    QString name;     ///< "Safe"; of a format that is no preset its own
    QString key;      ///< of a preset, "long_chat"
    QString format;   ///< of keys and values, "t8/t4"
    QString evicts;   ///< of a preset, "Attention matching 4x" as it was measured; empty: nothing
                      ///< goes
    QString help;     ///< empty: none
    QString refused;  ///< why this model cannot have it, or empty
    SettingTexts settings;
    bool preset = false;
    bool asked = false;   ///< the settings asked for are these
    bool passes = false;  ///< nothing is evicted, and its mean divergence is below the bound
    std::optional<double> bitsPerNumber, bytesPerToken, allocatedPerToken;
    std::optional<double> klMean, klP99, top1;
    qint64 asks = 0, hits = 0;  ///< dialogues that the whole cache answers, and of them its own
    std::optional<double> tokensPerSecond, ofWhole;  ///< the second against 16 bits
    qint64 texts = 0, open = 0;                      ///< tried, and not tried yet
    qint64 unsaved = 0;                              ///< of them: too short to save a byte
    qint64 left = 0;  ///< of them: those that say nothing of it, and are in no figure
};
struct FormatsView {
    QString asked;                ///< format of the settings asked for, "t8/t4"
    QVector<FormatRowView> rows;  ///< presets, then the other formats that were measured
    QString gate;                 ///< which format is the smallest that passes; empty: not known
    QString passing;              ///< that format; empty: not known, or none but 16 bits
    SettingTexts passingSettings;
};
/// A pair of bits before it is applied.
struct BitsView {
    QString format;   ///< "t6/t4"
    QString refused;  ///< why this model cannot have it, a sentence; or empty
    SettingTexts settings;
    bool asked = false;
    qint64 tokens = 0;                 ///< that the bytes are of
    qint64 bytesAsked = 0, bytes = 0;  ///< with the settings asked for, and with this pair
    QString damage;                    ///< measured, predicted or why neither; a sentence
};

struct QualityProgressView {
    bool running = false;
    bool stopping = false;
    QString paused;              ///< what it waits for, a sentence; empty: it goes on
    double prepared = 0;         ///< of making the texts, 0..1, while `total` is 0
    qint64 done = 0, total = 0;  ///< settings on texts
    double secondsLeft = -1;     ///< below 0: not known yet
};

class QualityController final : public QObject {
    Q_OBJECT

  public:
    /// What a person chooses between, in this order.
    enum Size { Small, Whole, Formats };
    /// The bits of a row in 16-bit numbers, as a pair of bits counts them.
    static constexpr int kPlainBits = 16;

    /// `dataFolder` keeps the tables; empty: they last as long as this. `program`: the one beside
    /// which lacuna-bench lies; empty: this one.
    QualityController(const MachineFacts& machine, const QString& dataFolder,
                      const QString& program, QObject* parent = nullptr);
    ~QualityController() override;

    [[nodiscard]] QString modelName() const;
    [[nodiscard]] QualityTableView table(Size size) const;
    [[nodiscard]] const QualityProgressView& progress() const;
    /// Which one is being filled, or was last.
    [[nodiscard]] Size filling() const;
    /// Why nothing can be measured, as a sentence; empty: it can.
    [[nodiscard]] QString whyNot() const;
    /// Why a table that lies there is not shown; sentences, or empty.
    [[nodiscard]] QString problem() const;
    /// Fills the table, going on with what is kept unless `startOver`. Ends with `ended`.
    void measure(Size size, bool startOver);
    /// What was measured is kept.
    void stop();

    /// "At 4x recall is 26 of 29 here, ...; measured 2026-11-23 on this machine", or "not measured
    /// on this model"; empty where nothing is compacted or no model is loaded.
    [[nodiscard]] QString citation(const EngineConfig& config) const;
    /// Presets and formats with what was measured of them; `asked` marks the one that is asked for.
    [[nodiscard]] FormatsView formats(const EngineConfig& asked) const;
    /// Keys and values of 1 to 8 bits, or kPlainBits; bytes are those of `tokens` tokens.
    [[nodiscard]] BitsView bits(int keys, int values, const EngineConfig& asked,
                                qint64 tokens) const;
    /// Bits of keys and values, nothing for formats that are not counted in bits.
    [[nodiscard]] static std::optional<std::pair<int, int>> bitsOf(const QString& format);
    [[nodiscard]] QString markdown(Size size) const;
    [[nodiscard]] QString csv(Size size) const;

    /// Reads what is kept of the model in use.
    void readTables();

    // From the other controllers.
    void setModel(const ModelFacts* facts);
    /// `reason` an answer or a measurement that comes first, as a sentence; empty: none.
    void setPaused(const QString& reason);

    void onEngineGone(const QString& reason);

  Q_SIGNALS:
    /// Table, progress, or whether one can begin.
    void changed();
    /// A measurement ended; `sentence` says how, `problem` whether something was wrong.
    void ended(const QString& sentence, bool problem);

  private:
    struct Impl;
    void onProgress(double share);
    void onEnded(const ProgramEnd& end);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
