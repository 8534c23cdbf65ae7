# SPDX-License-Identifier: MIT
"""Building blocks of torchvision's detection and segmentation models, as far as their shapes are fixed."""
import collections

import pytest
import torch

import poptorch
from harness import check, rand
from modules import check_inference, check_step

ops = pytest.importorskip("torchvision.ops")
detection = pytest.importorskip("torchvision.models.detection")
segmentation = pytest.importorskip("torchvision.models.segmentation")


@pytest.mark.parametrize("aligned", [False, True])
def test_regions(aligned):
    boxes = torch.tensor([[0, 0.0, 0, 4, 5], [1, 1, 2, 6, 7], [1, -2, 3, 20, 9]])
    check(lambda x, b: (ops.roi_align(x, b, (2, 3), 1.0, 2, aligned), ops.roi_align(x, b, 2, 0.5, 1, aligned)),
          rand(2, 3, 8, 7), boxes, gradient=[0])


def test_regions_need_a_number_of_points():
    with pytest.raises(poptorch.Error, match=r"roi_align \(at .*test_vision.py:\d+\): .*give sampling_ratio"):
        check(lambda x, b: ops.roi_align(x, b, 2), rand(1, 2, 4, 4), torch.tensor([[0, 0.0, 0, 2, 2]]))


def test_the_selection_of_boxes_is_refused():
    with pytest.raises(poptorch.Error, match=r"nms \(at .*Select boxes on the host"):
        check(lambda b, s: ops.nms(b, s, 0.5), rand(3, 4), rand(3))


def test_boxes():
    first, second = (torch.cat([b[:, :2], b[:, 2:] + 1], 1) for b in (rand(5, 4, low=0), rand(3, 4, low=0)))
    check(lambda a, b: (ops.box_iou(a, b), ops.generalized_box_iou(a, b), ops.box_area(a), ops.distance_box_iou(a, b),
                        ops.box_convert(a, "xyxy", "cxcywh"), ops.clip_boxes_to_image(a, (1, 1))),
          first, second, gradient=False)


def test_pyramids_and_heads():
    pictures = collections.OrderedDict(a=rand(1, 4, 8, 8), b=rand(1, 8, 4, 4))
    check_inference(ops.FeaturePyramidNetwork([4, 8], 6), pictures)
    check_step(detection.rpn.RPNHead(8, 3), [rand(1, 8, 8, 8), rand(1, 8, 4, 4)])
    check_inference(detection.retinanet.RetinaNetHead(8, 3, 4), [rand(1, 8, 8, 8), rand(1, 8, 4, 4)])


def test_segmentation():
    for head in (segmentation.deeplabv3.DeepLabHead(8, 3), segmentation.fcn.FCNHead(8, 3)):
        for part in head.modules():
            if isinstance(part, torch.nn.Dropout):
                part.p = 0.0
        check_inference(head, rand(2, 8, 9, 9))
        check_step(head, rand(2, 8, 9, 9), lr=0.01, rtol=1e-3, atol=1e-4)
