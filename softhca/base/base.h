/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The ground floor: tools that know no HCA.  The floors above include this
 * header and no other one of base/.
 */
#ifndef SOFTHCA_BASE_H
#define SOFTHCA_BASE_H

#include "bits.h"
#include "dma.h"
#include "limit.h"
#include "log.h"
#include "loop.h"
#include "mem.h"
#include "obj.h"
#include "ring.h"
#include "spans.h"
#include "sparse.h"
#include "usock.h"

#endif
