/* SPDX-License-Identifier: MIT */
/* Constants of a tile that portable codelet code uses. Control-register numbers are not here: code
   that names them is for the device only (#ifdef __IPU__). */
#ifndef POPLAR_TILE_CONSTANTS_HPP
#define POPLAR_TILE_CONSTANTS_HPP

#define CTXT_WORKERS 6                 /* worker contexts of a tile */
#define CTXT_TOTAL 7                   /* with the supervisor */
#define TMEM_REGION0_BASE_ADDR 0x4c000 /* first byte of tile memory, Mk2 */
#define TMEM_FULL_SIZE 0x9c000         /* 624 KiB, Mk2 */

#endif
