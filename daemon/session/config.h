/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "conf/conf.h"
#include "session/session.h"

/* Fills what the configuration says. externals: room for conf->n_externals; they and conf must outlive the session. */
void session_config_init(const Conf *conf, SenseExternal *externals, SessionConfig *ret);
