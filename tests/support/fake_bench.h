#pragma once
/// \file
/// A lacuna-bench that says and does what a test tells it, in a folder of its own. GUI thread.

#include <QFile>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <string>

#include "engine/quality/table_files.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {

class FakeBench {
  public:
    FakeBench() {
        const std::filesystem::path bin = folder_.path() / "bin";
        std::filesystem::create_directories(bin);
        std::filesystem::create_directories(folder_.path() / "data");
        [[maybe_unused]] const auto beside = folder_.write("bin/lacuna", "");
        const auto script = folder_.write("bin/lacuna-bench", R"(#!/bin/sh
cd "$(dirname "$0")/.." || exit 1
echo "$*" >> asked
trap 'exit 143' TERM
while :; do
  for line in said*; do
    [ -e "$line" ] && cat "$line" >&2 && rm "$line"
  done
  if [ -e end ]; then status=$(cat end); rm end; exit "$status"; fi
  sleep 0.02
done
)");
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    }

    /// Beside which it lies.
    [[nodiscard]] QString program() const { return pathOf("bin/lacuna"); }
    [[nodiscard]] QString dataFolder() const { return pathOf("data"); }
    /// The command lines it was started with.
    [[nodiscard]] QStringList asked() const {
        QFile file(pathOf("asked"));
        if (!file.open(QIODevice::ReadOnly)) return {};
        return QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    }
    /// A line on its standard error.
    void say(const std::string& line) {
        put("said" + std::to_string(kFirst + said_++), line + "\n");
    }
    /// It ends with this status once it has said everything.
    void end(int status) { put("end", std::to_string(status)); }
    /// Keeps a table where it would be written.
    void keep(const QualityTable& table) const {
        const auto files = tableFiles(dataFolder().toStdString(), table.fingerprint, table.size);
        [[maybe_unused]] const Status kept = keepTable(files.table, table);
    }

  private:
    [[nodiscard]] QString pathOf(const char* name) const {
        return QString::fromStdString((folder_.path() / name).string());
    }
    /// Whole or not at all.
    void put(const std::string& name, const std::string& text) {
        const auto written = folder_.write("written", text);
        std::filesystem::rename(written, folder_.path() / name);
    }

    static constexpr int kFirst = 1000;  ///< names sort as numbers do
    TemporaryFolder folder_;
    int said_ = 0;
};

}  // namespace lacuna::test
