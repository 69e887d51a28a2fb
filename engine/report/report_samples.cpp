#include "engine/report/report_samples.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/report/report_names.h"
#include "engine/report/report_schema.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostRows = 2'000'000;

bool suits(const SampleColumn& column, const Json& value) {
    switch (column.kind) {
        case SampleColumn::Kind::Count:
            return value.is_number_unsigned();
        case SampleColumn::Kind::Real:
            return value.is_number() && std::isfinite(value.get<double>()) &&
                   value.get<double>() >= 0;
        case SampleColumn::Kind::Phase:
            return value.is_string() && engineStateNamed(value.get<std::string>());
    }
    return false;
}

StepSample readSample(const Json& row, const std::string& path, ReadProblem& problem) {
    StepSample sample;
    const auto columns = sampleColumns();
    if (!row.is_array() || row.size() != columns.size()) {
        problem.note(ErrorCode::Config, format("{} has not {} values", path, columns.size()));
        return sample;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool right = suits(columns[i], row[i]);
        if (right) columns[i].write(sample, row[i]);
        // A count too large for its field would come back as another number.
        if (right && Json(columns[i].read(sample)) == row[i]) continue;
        problem.note(ErrorCode::Config,
                     format("{}.{} is {}", path, columns[i].name, row[i].dump()));
        return sample;
    }
    return sample;
}

}  // namespace

void readSamples(ObjectReader& report, Recording& recording) {
    ReadProblem& problem = report.problem();
    ObjectReader reader(report.member("samples"), report.pathOf("samples"), problem);
    recording.samplesSeen = reader.count("seen");
    const std::int64_t kept = reader.count("kept");
    const std::vector<std::string> columns = reader.texts("columns");
    const auto expected = sampleColumns();
    if (!std::ranges::equal(columns, expected, {}, {}, &SampleColumn::name))
        problem.note(ErrorCode::Config, "samples.columns are not those of this version");
    if (reader.list("rows").size() > kMostRows)
        problem.note(ErrorCode::Config, format("samples.rows has more than {} rows", kMostRows));
    readList(reader, "rows", [&](const Json& row, const std::string& path) {
        recording.samples.push_back(readSample(row, path, problem));
    });
    if (kept != static_cast<std::int64_t>(recording.samples.size()))
        problem.note(ErrorCode::Config, format("samples.kept is {} and there are {} rows", kept,
                                               recording.samples.size()));
}

}  // namespace lacuna
