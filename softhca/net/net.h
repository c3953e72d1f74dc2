/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The network's floor: packets, ports and what carries packets between them.
 * It knows no HCA.  This is the header by which the floors above use it.
 */
#ifndef SOFTHCA_NET_H
#define SOFTHCA_NET_H

#include "packet.h"
#include "port.h"
#include "wire.h"

#endif
