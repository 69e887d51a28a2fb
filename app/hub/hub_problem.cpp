#include "app/hub/hub_problem.h"

#include <array>

namespace lacuna::app {

namespace {

struct FaultRow {
    HubFault fault;
    const char* name;
    ErrorClass kind;
};

constexpr std::array kFaults{
    FaultRow{HubFault::Address, "DL_ADDRESS", ErrorClass::Usage},
    FaultRow{HubFault::Http, "DL_HTTP", ErrorClass::Io},
    FaultRow{HubFault::Reach, "DL_REACH", ErrorClass::Io},
    FaultRow{HubFault::Tls, "DL_TLS", ErrorClass::Io},
    FaultRow{HubFault::Redirect, "DL_REDIRECT", ErrorClass::Io},
    FaultRow{HubFault::Listing, "DL_LISTING", ErrorClass::Data},
    FaultRow{HubFault::Name, "DL_NAME", ErrorClass::Data},
    FaultRow{HubFault::Size, "DL_SIZE", ErrorClass::Data},
    FaultRow{HubFault::Space, "DL_SPACE", ErrorClass::Io},
    FaultRow{HubFault::Write, "DL_WRITE", ErrorClass::Io},
    FaultRow{HubFault::Hash, "DL_HASH", ErrorClass::Data},
    FaultRow{HubFault::NotAModel, "DL_NOT_A_MODEL", ErrorClass::Data},
    FaultRow{HubFault::There, "DL_THERE", ErrorClass::Usage},
    FaultRow{HubFault::Busy, "DL_BUSY", ErrorClass::Usage},
    FaultRow{HubFault::Stopped, "DL_STOPPED", ErrorClass::Cancelled},
};

const FaultRow& rowOf(HubFault fault) {
    for (const FaultRow& row : kFaults)
        if (row.fault == fault) return row;
    return kFaults.front();
}

}  // namespace

const char* faultName(HubFault fault) {
    return rowOf(fault).name;
}

ErrorClass faultClass(HubFault fault) {
    return rowOf(fault).kind;
}

}  // namespace lacuna::app
