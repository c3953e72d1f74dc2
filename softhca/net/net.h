/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The network's floor: packets, ports, and the wire that carries packets
 * between ports.  It knows no HCA.  The floors above include this header and
 * no other one of net/.
 */
#ifndef SOFTHCA_NET_H
#define SOFTHCA_NET_H

#include "ether.h"
#include "lan.h"
#include "packet.h"
#include "port.h"
#include "wire.h"

#endif
